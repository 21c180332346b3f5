import { loadPageAssets, type PageAssets } from '@recording-request/web-shared/assets';

export const recorderAssets = (): PageAssets => loadPageAssets('recorder', new URL('../gen/', import.meta.url));
