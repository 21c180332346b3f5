import { type ComponentChild, h } from 'preact';

// The server renders labelled UTC times; the browser rewrites them in the reader's time zone and format.

const inBrowser = typeof document !== 'undefined';

const utc = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;

function local(at: Date, second?: '2-digit'): string {
  const year = at.getFullYear() === new Date().getFullYear() ? undefined : 'numeric';
  const day = at.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year });
  return `${day}, ${at.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', second })}`;
}

const whole = (at: Date): string => at.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' });

/** Formats a time to the second, for names, because several clips may arrive in a minute. */
export const moment = (at: string): string =>
  inBrowser ? local(new Date(at), '2-digit') : `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;

/** Renders a time to the minute. Its text direction is isolated, because the reader's language may be right-to-left. */
export function time(at: string | null): ComponentChild {
  if (at === null) return null;
  if (!inBrowser) return h('time', { datetime: at, dir: 'auto' }, utc(at));
  const date = new Date(at);
  return h('time', { datetime: at, dir: 'auto', title: whole(date) }, local(date));
}

/** Rewrites the server's times in the browser. */
export function localTimes(root: ParentNode): void {
  for (const element of root.querySelectorAll('time')) {
    const date = new Date(element.dateTime);
    element.title = whole(date);
    element.textContent = local(date);
  }
}
