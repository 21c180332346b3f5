import { type ComponentChildren, h, render } from 'preact';
import { askForToken, mayWrite, onAccess } from '../access.ts';
import { bar } from './bar.ts';
import { hasMore, isWhole, people } from './held.ts';
import { openImport } from './import-dialog.ts';
import { forget, isLoading, loadMore, loadPeople, refreshAll, reloadPeople } from './loading.ts';
import { clearResult, isNarrowed, onChange, showAll, state } from './state.ts';
import { place, table } from './table.ts';
import { many, say } from './texts.ts';
import { figures, filters } from './toolbar.ts';

// The table of people, for an owner with an API token.

let root: HTMLElement | undefined;

function paint(): void {
  if (!root) return;
  render(mayWrite() ? all() : needsToken(), root);
  // The first rows of a layout show how high a row is; the second paint renders as many as fit.
  if (!place()) {
    render(all(), root);
    place();
  }
}

const needsToken = (): ComponentChildren => [
  h('p', null, say('needsToken')),
  h(
    'p',
    { class: 'buttons' },
    h('button', { type: 'button', class: 'primary', onClick: askForToken }, say('enterToken')),
  ),
];

const all = (): ComponentChildren => [
  h(
    'div',
    { class: 'link-head' },
    h('p', { class: 'hint' }, say('intro')),
    h(
      'div',
      { class: 'buttons' },
      h('button', { type: 'button', class: 'small', disabled: isLoading(), onClick: refresh }, say('refresh')),
      h('button', { type: 'button', class: 'small primary', onClick: openImport }, say('import')),
    ),
  ),
  figures(),
  filters(),
  status(),
  result(),
  hasMore() && partial(),
  state.shown.length > 0 ? table(Date.now()) : empty(),
  bar(),
];

function refresh(): void {
  void refreshAll();
}

/** Shows how many people are in the table, or what runs. The live region of the page announces the ends only. */
function status(): ComponentChildren {
  const { running, shown } = state;
  if (!running) return h('p', { id: 'people-status', class: 'hint' }, many('peopleShown', shown.length));
  const { done, total, cancel, what } = running;
  const value = total === undefined ? many('peopleLoaded', done) : say('running', { done, total });
  return h(
    'p',
    { id: 'people-status', class: 'people-running' },
    h('progress', {
      key: total === undefined ? 'load' : 'action',
      'aria-label': what,
      max: total ?? 1,
      value: total === undefined ? undefined : done,
    }),
    h('span', null, value),
    h('button', { type: 'button', class: 'small', onClick: cancel }, say('cancel')),
  );
}

function result(): ComponentChildren {
  const { lines, isProblem } = state.result;
  if (lines.length === 0) return undefined;
  return h(
    'div',
    { id: 'people-result', tabindex: -1, class: isProblem ? 'warning banner' : 'people-done banner' },
    h(
      'ul',
      null,
      lines.map((line, index) => h('li', { key: index }, line)),
    ),
    h(
      'div',
      { class: 'buttons' },
      !isWhole() &&
        !hasMore() &&
        !isLoading() &&
        h('button', { type: 'button', class: 'small', onClick: again }, say('tryAgain')),
      h('button', { type: 'button', class: 'small', onClick: clearResult }, say('dismiss')),
    ),
  );
}

function again(): void {
  clearResult();
  void loadPeople();
}

const partial = (): ComponentChildren =>
  h(
    'p',
    { class: 'hint' },
    say('partial', { count: people.size }),
    ' ',
    h('button', { type: 'button', class: 'small', disabled: isLoading(), onClick: loadMore }, say('loadMore')),
  );

const empty = (): ComponentChildren =>
  !isLoading() &&
  h(
    'div',
    { class: 'empty' },
    h('p', null, say(isNarrowed() ? 'noMatch' : 'noPeople')),
    isNarrowed() && h('button', { type: 'button', class: 'small', onClick: showAll }, say('showAll')),
  );

/** Shows the table in this element, and loads the people unless they are loaded. */
export function openPeople(element: HTMLElement): void {
  if (!root) {
    root = element;
    onChange(paint);
    addEventListener('resize', paint);
    onAccess(begin);
  }
  begin();
}

function begin(): void {
  if (!mayWrite()) forget();
  else if (!isWhole() && !hasMore() && !isLoading()) void loadPeople();
  paint();
}

/** Loads a short list again, because something changed. A long one waits for the button. */
export function peopleChanged(): void {
  if (mayWrite() && isWhole() && !isLoading()) void reloadPeople([]);
}
