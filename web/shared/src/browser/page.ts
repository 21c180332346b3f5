/** The page's own path, without a trailing slash. All requests of its script go below it. */
export const pagePath = location.pathname.replace(/\/+$/, '');

/** Returns the settings that the server put into the page as JSON. */
export const readSettings = <T>(): T => JSON.parse(document.getElementById('settings')?.textContent ?? '') as T;
