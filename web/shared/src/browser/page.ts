/** The page's own path, without a slash at its end: every request of its script goes below it. */
export const pagePath = location.pathname.replace(/\/+$/, '');

/** What the server gave the script, as JSON in the page. */
export const readSettings = <T>(): T => JSON.parse(document.getElementById('settings')?.textContent ?? '') as T;
