/** The page's own path, without a trailing slash. The script sends all requests to paths below it. */
export const pagePath = location.pathname.replace(/\/+$/, '');

/** Returns the settings that the server put into the page as JSON. */
export const readSettings = <T>(): T => JSON.parse(document.getElementById('settings')?.textContent ?? '') as T;
