import type { Query } from '../settings.ts';
import { completeResponses, loadMore, reload, watchEnd } from './clips.ts';
import { failed } from './connection.ts';
import { byPerson, elements } from './elements.ts';
import { paint, takeOver } from './grid.ts';

const { q, selected, transcriptStatus } = elements;

const wanted = (): Query => ({ q: q.value, selected: selected.checked, transcriptStatus: transcriptStatus.value });

function clear(): void {
  q.value = '';
  selected.checked = false;
  transcriptStatus.value = '';
  void reload(wanted());
  q.focus();
}

function wireForm(): void {
  elements.filters.addEventListener('submit', event => {
    event.preventDefault();
    void reload(wanted());
  });
  elements.filters.addEventListener('change', ({ target }) => {
    if (target === byPerson) paint();
    else if (target !== q) void reload(wanted());
  });
  // Handles the search field's clear button, if the browser has one.
  q.addEventListener('search', () => q.value === '' && void reload(wanted()));
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
