import { type Html, html } from './html.ts';

// The layout of every page and screen that ends something: a mark, a title, the reason, and the next step. The styles
// are in browser/ending.css.

// Each mark is one path in a square of 24 units.
const MARKS = {
  /** Something arrived, as the server has confirmed. */
  good: 'M5 12.5 10 17.5 19 7',
  /** The page waits, or a time has passed. */
  wait: 'M12 5v7l4.5 3',
  closed: 'M6 12h12',
  unknown: 'M9 9a3 3 0 1 1 4.6 2.5c-1.1.8-1.6 1.4-1.6 2.7M12 18v.01',
  trouble: 'M12 6v7M12 17.5v.01',
  camera: 'M4 8h9v8H4zM13 11.5 20 8v8l-7-3.5M4 3l16 18',
} as const;

export type Mark = keyof typeof MARKS;

/** Returns a mark. Assistive technology ignores it, because the title has the same meaning. */
export const mark = (kind: Mark): Html =>
  html`<p class="mark ${kind}" aria-hidden="true"><svg viewBox="0 0 24 24"><path pathLength="1" d="${MARKS[kind]}"/></svg></p>`;

export interface Ending {
  mark: Mark;
  title: string;
  text: string;
  /** Contents between the text and the next step. */
  more?: Html | null;
  /** A sentence about the next step, for endings that need no button. */
  next?: string | undefined;
  /** Buttons and links. */
  actions?: Html | null;
}

/** Returns an ending. Its parent has the class `end`. */
export const ending = ({ mark: kind, title, text, more = null, next, actions = null }: Ending): Html =>
  html`<div class="middle">${mark(kind)}<h1>${title}</h1><p class="lead">${text}</p>${more}${
    next ? html`<p class="next">${next}</p>` : null
  }</div>${actions && html`<div class="actions">${actions}</div>`}`;
