import { Html, html } from './html.ts';

export { Html, html };

/** Text that is HTML already: our own, never an owner's or a contributor's. */
export const raw = (text: string): Html => new Html(text);
