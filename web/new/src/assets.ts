import { loadPageAssets, type PageAssets } from '@recording-request/web-shared/assets';

export const newAssets = (): PageAssets => loadPageAssets('new', new URL('../gen/', import.meta.url));
