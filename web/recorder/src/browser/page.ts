import type { RecorderSettings } from '../settings.ts';

// What the page has told its script, and the elements that it brought.

export const byId = <T extends HTMLElement = HTMLElement>(id: string): T => document.getElementById(id) as T;

export const settings = JSON.parse(byId('settings').textContent ?? '') as RecorderSettings;

/** The link's own path: every request goes below it, and all that is kept on the device is kept under it. */
export const base = location.pathname.replace(/\/+$/, '');

/** The words for `key` in the page's language. */
export const words = (key: string, values: Record<string, string | number> = {}): string =>
  (settings.texts[key] ?? key).replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));

const SCREENS = ['refused', 'welcome', 'stage', 'review', 'sending', 'elsewhere', 'done', 'problem'] as const;
export type Screen = (typeof SCREENS)[number];

/** Shows one screen, and brings the keyboard and the screen reader to its heading, or to what it is about. */
export function show(screen: Screen, focus?: HTMLElement): void {
  const changed = screen === 'stage' || byId(`screen-${screen}`)?.hidden;
  for (const each of SCREENS) {
    const element = document.getElementById(`screen-${each}`);
    if (element) element.hidden = each !== screen;
  }
  const target = focus ?? (changed ? byId(`screen-${screen}`).querySelector<HTMLElement>('h1[tabindex]') : null);
  target?.focus();
  if (changed && screen !== 'stage') scrollTo(0, 0);
}

/** Text in an element that is hidden while it has none. */
export function tell(id: string, text: string): void {
  const element = byId(id);
  if (element.textContent !== text) element.textContent = text;
  element.hidden = text === '';
}

/** Says something to a screen reader. */
export function announce(text: string): void {
  byId('announcer').textContent = text;
}

export const onClick = (id: string, act: () => unknown): void => byId(id).addEventListener('click', () => void act());

export const pause = (ms: number): Promise<void> => new Promise(resolve => window.setTimeout(resolve, ms));

/** What is unfolded over the page folds again with Escape or a touch elsewhere. */
export function foldPopups(): void {
  const fold = (except: EventTarget | null) => {
    for (const popup of document.querySelectorAll<HTMLDetailsElement>('.languages[open], #devices[open]')) {
      if (except instanceof Node && popup.contains(except)) continue;
      popup.open = false;
    }
  };
  addEventListener('pointerdown', event => fold(event.target));
  addEventListener('keydown', event => event.key === 'Escape' && fold(null));
}
