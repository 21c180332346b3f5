import { wordsOf } from '../search.ts';
import type { Query } from '../settings.ts';
import { completeResponses, filterLoaded, loadMore, reload, watchEnd } from './clips.ts';
import { failed } from './connection.ts';
import { byPerson, elements } from './elements.ts';
import { paint, takeOver } from './grid.ts';

const { q, selected, transcriptStatus } = elements;

const wanted = (): Query => ({ q: q.value, selected: selected.checked, transcriptStatus: transcriptStatus.value });

/** Enough for most people to type the next letter, so that a word costs one search. */
const ASK_AFTER_MS = 300;
let asking: number | undefined;

function ask(keeps = false): void {
  clearTimeout(asking);
  void reload(wanted(), keeps);
}

/** Filters the loaded clips at once, and asks the server when the reader pauses. */
function typing(): void {
  clearTimeout(asking);
  filterLoaded(wordsOf(q.value));
  asking = window.setTimeout(() => ask(true), ASK_AFTER_MS);
}

function clear(): void {
  q.value = '';
  selected.checked = false;
  transcriptStatus.value = '';
  ask();
  q.focus();
}

function wireForm(): void {
  elements.filters.addEventListener('submit', event => {
    event.preventDefault();
    ask();
  });
  elements.filters.addEventListener('change', ({ target }) => {
    if (target === byPerson) paint();
    else if (target !== q) ask();
  });
  // An input method's letters are not a word yet: Japanese is typed in another script than it is found in.
  q.addEventListener('input', event => (event as InputEvent).isComposing || typing());
  q.addEventListener('compositionend', typing);
}

const instead = (element: HTMLElement, act: () => void): void =>
  element.addEventListener('click', event => {
    event.preventDefault();
    act();
  });

/** Wires the filters and buttons that load other clips. */
export function wireClips(): void {
  takeOver();
  wireForm();
  instead(elements.clear, clear);
  instead(elements.newer, () => void reload());
  instead(elements.more, () => void loadMore());
  elements.empty.addEventListener('click', event => {
    if ((event.target as Element).matches('[data-reload]')) void reload();
  });
  watchEnd();
  void completeResponses().catch(failed);
}
