import { type ComponentChild, h } from 'preact';

// The server writes UTC, and says so; the browser writes the reader's own time zone and way of writing it.

const inBrowser = typeof document !== 'undefined';

const utc = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;

function local(at: Date, second?: '2-digit'): string {
  const year = at.getFullYear() === new Date().getFullYear() ? undefined : 'numeric';
  const day = at.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year });
  return `${day}, ${at.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', second })}`;
}

const whole = (at: Date): string => at.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' });

/** A time to the second, for the name of what came then: several clips may come in a minute. */
export const moment = (at: string): string =>
  inBrowser ? local(new Date(at), '2-digit') : `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;

/** A time to the minute, set apart from what stands beside it: the reader's language may run the other way. */
export function time(at: string | null): ComponentChild {
  if (at === null) return null;
  if (!inBrowser) return h('time', { datetime: at, dir: 'auto' }, utc(at));
  const date = new Date(at);
  return h('time', { datetime: at, dir: 'auto', title: whole(date) }, local(date));
}

/** Rewrites the times that the server wrote, in the browser. */
export function localTimes(root: ParentNode): void {
  for (const element of root.querySelectorAll('time')) {
    const date = new Date(element.dateTime);
    element.title = whole(date);
    element.textContent = local(date);
  }
}
