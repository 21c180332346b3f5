import { chunkOf } from '@recording-request/web-shared/browser/chunk';
import { h, render } from 'preact';
import { elements } from './elements.ts';

// The section of the people. Its part of the script loads when the section is first opened.

const { people, peopleRoot } = elements;
const load = chunkOf(() => import('./chunks/people.ts'));
let changed = (): void => {};

/** Handles the opening of the section. */
export async function peopleShown(): Promise<void> {
  try {
    const { loadTexts, openPeople, peopleChanged } = await load();
    await loadTexts(document.documentElement.lang);
    changed = peopleChanged;
    openPeople(peopleRoot);
  } catch {
    const again = h('button', { type: 'button', class: 'small', onClick: () => void peopleShown() }, 'Try again');
    render([h('p', { class: 'warning' }, 'This part of the page did not load. ', again)], peopleRoot);
  }
}

/** Refreshes the people while they are visible. */
export function refreshPeople(): void {
  if (!people.hidden) changed();
}
