import { type ComponentChild, h } from 'preact';

// The server writes UTC, and says so; the browser writes the reader's own time zone and way of writing it.

const inBrowser = typeof document !== 'undefined';

const utc = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;

function local(at: Date): string {
  const year = at.getFullYear() === new Date().getFullYear() ? undefined : 'numeric';
  const day = at.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year });
  return `${day}, ${at.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })}`;
}

const whole = (at: Date): string => at.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' });

/** A time to the minute. */
export function time(at: string | null): ComponentChild {
  if (at === null) return null;
  if (!inBrowser) return h('time', { datetime: at }, utc(at));
  const date = new Date(at);
  return h('time', { datetime: at, title: whole(date) }, local(date));
}

/** Rewrites the times that the server wrote, in the browser. */
export function localTimes(root: ParentNode): void {
  for (const element of root.querySelectorAll('time')) {
    const date = new Date(element.dateTime);
    element.title = whole(date);
    element.textContent = local(date);
  }
}
