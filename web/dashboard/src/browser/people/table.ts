import { announce } from '@recording-request/web-shared/browser/texts';
import { type ComponentChildren, createRef, h } from 'preact';
import { COLUMNS, type Column, hasAddress, isOverdue, type Person } from './person.ts';
import { change, narrow, select, selectAll, state, toggle } from './state.ts';
import { many, moment, number, say } from './texts.ts';

// The table of people. It renders only the rows in view and a few around them, so that ten thousand rows scroll like ten.

const AROUND = 6;
/** Each new range of rows begins at a multiple of this, so that not every scrolled row renders again. */
const STEP = 4;
const COPIED_MS = 2_000;

const scroller = createRef<HTMLDivElement>();
const body = createRef<HTMLDivElement>();
const all = createRef<HTMLInputElement>();
/** The height of a row in pixels, as measured. */
let rowHeight = 48;
let painted = '';

/** Returns the indexes of the rows to render: from the first, up to and without the last. */
function range(): [first: number, last: number] {
  const { scrollTop, clientHeight } = scroller.current ?? { scrollTop: 0, clientHeight: 640 };
  const first = Math.floor(scrollTop / rowHeight) - AROUND;
  const last = Math.ceil((scrollTop + clientHeight) / rowHeight) + AROUND;
  return [Math.max(0, first - (first % STEP)), Math.min(state.shown.length, last + STEP - (last % STEP))];
}

/** Returns the indexes to render. The row with the focus stays, because the focus would be lost with it. */
function indexes(): number[] {
  const [first, last] = range();
  painted = `${first} ${last}`;
  const found = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
  if (hasFocus() && state.active < first) found.unshift(state.active);
  if (hasFocus() && state.active >= last && state.active < state.shown.length) found.push(state.active);
  return found;
}

const hasFocus = (): boolean => body.current?.contains(document.activeElement) ?? false;

/** Returns the row that Tab reaches: the last one that had the focus, or the first in view. */
function tabbable(): number {
  const top = scroller.current?.scrollTop ?? 0;
  const first = Math.ceil(top / rowHeight);
  const last = first + Math.floor(visibleHeight() / rowHeight) - 1;
  const inView = state.active >= first && state.active <= last;
  return hasFocus() || inView ? state.active : Math.min(first, state.shown.length - 1);
}

const headHeight = (): number => body.current?.offsetTop ?? 0;
const visibleHeight = (): number => (scroller.current?.clientHeight ?? 640) - headHeight();

export function table(now: number): ComponentChildren {
  const { shown, selected } = state;
  const tabbed = tabbable();
  const rows = indexes().map(index => row(shown[index]!, index, index === tabbed, now));
  return h(
    'div',
    {
      id: 'people-table',
      class: 'people-table',
      ref: scroller,
      role: 'grid',
      'aria-label': say('table'),
      'aria-rowcount': shown.length + 1,
      'aria-multiselectable': 'true',
      onScroll: scrolled,
      onClick: clicked,
      onKeyDown: pressed,
      onFocusIn: focused,
    },
    h(
      'div',
      { role: 'rowgroup', class: 'people-head' },
      h(
        'div',
        { role: 'row', 'aria-rowindex': 1 },
        h(
          'div',
          { role: 'columnheader', class: 'people-check' },
          h('input', {
            type: 'checkbox',
            ref: all,
            'aria-label': say('selectAll'),
            checked: shown.length > 0 && shown.every(({ id }) => selected.has(id)),
            onChange: (event: Event) => selectAll((event.target as HTMLInputElement).checked),
          }),
        ),
        COLUMNS.map(heading),
        h('div', { role: 'columnheader' }, h('span', { class: 'hidden-text' }, say('link'))),
      ),
    ),
    h('div', { role: 'rowgroup', class: 'people-body', ref: body }, rows),
  );
}

/** Places the rendered rows; the Content-Security-Policy allows this only to the script. Returns false if the rows have another height than the last time. */
export function place(): boolean {
  if (!body.current) return true;
  if (all.current)
    all.current.indeterminate = !all.current.checked && state.shown.some(({ id }) => state.selected.has(id));
  const [first] = body.current.children;
  const height = first?.getBoundingClientRect().height || rowHeight;
  const isSame = Math.abs(height - rowHeight) < 0.5;
  rowHeight = height;
  body.current.style.height = `${state.shown.length * rowHeight}px`;
  for (const each of body.current.children as HTMLCollectionOf<HTMLElement>)
    each.style.transform = `translateY(${Number(each.dataset.index) * rowHeight}px)`;
  return isSame;
}

/** Scrolls to the first row. */
export function toTop(): void {
  if (scroller.current) scroller.current.scrollTop = 0;
}

function heading(column: Column): ComponentChildren {
  const { sort, descending } = state.view;
  const order = sort === column ? (descending ? 'descending' : 'ascending') : 'none';
  return h(
    'div',
    { role: 'columnheader', 'aria-sort': order, class: `people-${column}` },
    h(
      'button',
      { type: 'button', class: 'people-sort', onClick: () => sortBy(column) },
      say(column),
      sort === column && h('span', { 'aria-hidden': 'true' }, descending ? '↓' : '↑'),
    ),
  );
}

/** The second press reverses the order, and the third restores the order of creation. */
export function sortBy(column: Column): void {
  const { sort, descending } = state.view;
  if (sort !== column) narrow({ sort: column, descending: false });
  else if (!descending) narrow({ descending: true });
  else narrow({ sort: undefined, descending: false });
  toTop();
}

const KINDS: Record<string, string> = {
  invited: 'calm',
  opened: 'calm',
  recording: 'busy',
  sent: 'good',
  closed: 'over',
};

export const nameOf = ({ label, number: position }: Person): string =>
  label || say('unnamed', { number: String(position) });

function row(person: Person, index: number, isTabbed: boolean, now: number): ComponentChildren {
  const { id, link, dueAt } = person;
  const isSelected = state.selected.has(id);
  const tabindex = isTabbed ? 0 : -1;
  const name = nameOf(person);
  const late = isOverdue(person, now);
  return h(
    'div',
    {
      key: id,
      role: 'row',
      class: `people-row${isSelected ? ' is-selected' : ''}`,
      'aria-rowindex': index + 2,
      'aria-selected': String(isSelected),
      'data-index': index,
      tabindex,
    },
    h(
      'div',
      { role: 'gridcell', class: 'people-check' },
      h('input', { type: 'checkbox', tabindex, checked: isSelected, 'aria-label': say('select', { name }) }),
    ),
    h(
      'div',
      { role: 'rowheader', class: 'people-person' },
      h('b', { dir: 'auto' }, name),
      h('span', { class: 'soft', dir: 'auto' }, secondOf(person)),
    ),
    h(
      'div',
      { role: 'gridcell', class: 'people-state' },
      h('span', { class: `state ${KINDS[link.state ?? ''] ?? 'calm'}` }, stateOf(person)),
    ),
    h('div', { role: 'gridcell', class: 'people-changed' }, timeOf(person.changedAt)),
    h('div', { role: 'gridcell', class: 'people-clips', 'data-name': say('clips') }, number(link.submissionCount)),
    h('div', { role: 'gridcell', class: 'people-reminders', 'data-name': say('reminders') }, remindersOf(person)),
    h(
      'div',
      { role: 'gridcell', class: 'people-due', 'data-name': say('due') },
      dueAt === undefined ? '–' : timeOf(dueAt),
      late && h('span', { class: 'state warn' }, say('late')),
    ),
    h(
      'div',
      { role: 'gridcell', class: 'people-copy' },
      hasAddress(person) &&
        h(
          'button',
          { type: 'button', class: 'small', tabindex, 'aria-label': say('copyOf', { name }) },
          say(state.copied === id ? 'copied' : 'copy'),
        ),
    ),
  );
}

/** Returns what the owner stated about a person besides the name. */
function secondOf({ label, link: { recipient } }: Person): string {
  return [recipient?.reference, recipient?.email].find(text => text && text !== label) ?? '';
}

export function stateOf({ link }: Person): string {
  const { state: reached, status, answersSent, questionCount } = link;
  if (reached === 'recording' && answersSent !== null && questionCount !== null)
    return say('answersOf', { landed: answersSent, total: questionCount });
  if (reached === 'sent') return say(status === 'disabled' ? 'sentClosed' : 'sent');
  if (reached === 'closed') return say(status === 'expired' ? 'expired' : 'closed');
  return say(reached ?? 'invited');
}

function remindersOf({ link: { remindersSent, remindersStopped } }: Person): string {
  const sent = remindersSent > 0 ? number(remindersSent) : '–';
  return remindersStopped ? `${sent}, ${say('stopped')}` : sent;
}

function timeOf(at: number): ComponentChildren {
  const date = new Date(at);
  return h('time', { datetime: date.toISOString(), dir: 'auto' }, moment(date));
}

let isWaiting = false;

function scrolled(): void {
  if (isWaiting) return;
  isWaiting = true;
  requestAnimationFrame(() => {
    isWaiting = false;
    if (range().join(' ') !== painted) change({});
  });
}

const indexAt = (target: EventTarget | null): number | undefined => {
  const row = (target as Element | null)?.closest<HTMLElement>('.people-row');
  return row ? Number(row.dataset.index) : undefined;
};

function focused({ target }: FocusEvent): void {
  const index = indexAt(target);
  if (index !== undefined && index !== state.active) change({ active: index });
}

function clicked(event: MouseEvent): void {
  const index = indexAt(event.target);
  if (index === undefined) return;
  const target = event.target as Element;
  if (target.closest('.people-check')) toggle(index, event.shiftKey);
  else if (target.closest('button')) void copyLink(state.shown[index]!);
}

async function copyLink(person: Person): Promise<void> {
  if (!hasAddress(person)) return;
  try {
    await navigator.clipboard.writeText(person.link.recipientUrl);
  } catch {
    return announce(say('copyBlocked'));
  }
  announce(say('copiedOf', { name: nameOf(person) }));
  change({ copied: person.id });
  setTimeout(() => state.copied === person.id && change({ copied: undefined }), COPIED_MS);
}

function pressed(event: KeyboardEvent): void {
  const index = indexAt(event.target);
  if (index === undefined || event.altKey) return;
  const isRow = (event.target as Element).matches('.people-row');
  const last = state.shown.length - 1;
  const step = Math.max(1, Math.floor(visibleHeight() / rowHeight) - 1);
  const to = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    PageDown: index + step,
    PageUp: index - step,
    Home: 0,
    End: last,
  }[event.key];
  if (to !== undefined) move(Math.max(0, Math.min(last, to)), event.shiftKey);
  else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) selectAll(true);
  else if (event.key === ' ' && isRow) toggle(index, event.shiftKey);
  else if (event.key === 'Enter' && isRow) void copyLink(state.shown[index]!);
  else return;
  event.preventDefault();
  if (event.key === ' ' || event.key === 'a') announce(many('selected', state.selected.size));
}

/** Moves the focus to a row, which scrolls into view. */
function move(index: number, extend: boolean): void {
  const element = scroller.current;
  if (!element) return;
  const top = index * rowHeight;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (top + rowHeight > element.scrollTop + visibleHeight()) element.scrollTop = top + rowHeight - visibleHeight();
  if (extend) select(state.anchor, index, true);
  else change({ active: index, anchor: index });
  body.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus({ preventScroll: true });
}
