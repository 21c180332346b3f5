import { loadPageAssets, type PageAssets } from '@recording-request/web-shared/assets';

export const dashboardAssets = (): PageAssets => loadPageAssets('dashboard', new URL('../gen/', import.meta.url));
