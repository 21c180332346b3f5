import type { LinksAddedJson, LinksCheckedJson } from '@recording-request/contract/resources/links-added';
import { Refusal } from '@recording-request/web-shared/browser/requests';
import { announce } from '@recording-request/web-shared/browser/texts';
import { type ComponentChildren, createRef, h, render } from 'preact';
import { write } from '../access.ts';
import { sentenceOf } from '../api.ts';
import { type Row, rowsOf, textOfFile, withoutLines } from './csv-rows.ts';
import { newKey } from './key.ts';
import { loadAdded } from './loading.ts';
import { change } from './state.ts';
import { many, number, say } from './texts.ts';

// The import of a CSV file: the service checks the file, the page shows the errors, and then adds the rows without errors.

const FILE_BYTES = 8 * 1024 ** 2;
const LIMIT_MS = 90_000;
const ERRORS_SHOWN = 200;
const ROW_SHOWN = 120;
/** With so many errors, the service may have more than it lists, so the page cannot leave out the faulty rows. */
const ERRORS_MAX = 1_000;

interface Checked {
  rows: Row[];
  answer: LinksCheckedJson;
  faulty: Set<number>;
  /** The Idempotency-Key of this import: a second press adds nobody twice. */
  key: string;
}

interface Form {
  busy: '' | 'checking' | 'adding';
  problem: string;
  checked: Checked | undefined;
}

const EMPTY: Form = { busy: '', problem: '', checked: undefined };
const field = createRef<HTMLInputElement>();
let form = EMPTY;
let dialog: HTMLDialogElement | undefined;
/** The chosen file counts; the answer about an earlier one is dropped. */
let chosen = 0;

function show(part: Partial<Form>): void {
  form = { ...form, ...part };
  if (dialog) render(content(), dialog);
}

export function openImport(): void {
  dialog ??= makeDialog();
  reset();
  dialog.showModal();
  field.current?.focus();
}

function makeDialog(): HTMLDialogElement {
  const made = document.createElement('dialog');
  made.id = 'people-import';
  made.className = 'sheet people-import';
  made.setAttribute('aria-labelledby', 'people-import-title');
  // The file has personal data, so nothing of it stays after the dialog.
  made.addEventListener('close', reset);
  document.body.append(made);
  return made;
}

function reset(): void {
  chosen += 1;
  if (field.current) field.current.value = '';
  form = EMPTY;
  show({});
}

const content = (): ComponentChildren => [
  h('h2', { id: 'people-import-title' }, say('importTitle')),
  h('p', { id: 'people-import-hint', class: 'hint' }, say('importIntro')),
  h('label', { for: 'people-file' }, say('file')),
  h('input', {
    id: 'people-file',
    ref: field,
    type: 'file',
    accept: '.csv,.txt,.tsv,text/csv',
    'aria-describedby': 'people-import-hint',
    disabled: form.busy === 'adding',
    onChange: () => void check(),
  }),
  h('p', { class: 'warning', role: 'alert', hidden: form.problem === '' }, form.problem),
  h('p', { role: 'status', hidden: form.busy === '' }, form.busy && say(form.busy)),
  form.checked && preview(form.checked),
  h(
    'p',
    { class: 'buttons' },
    form.checked && addButton(form.checked),
    h('button', { type: 'button', disabled: form.busy === 'adding', onClick: () => dialog?.close() }, say('cancel')),
  ),
];

/** Returns how many rows the import would add. */
const toAdd = ({ answer }: Checked): number => answer.valid - answer.duplicates.length;

function addButton(checked: Checked): ComponentChildren {
  const count = toAdd(checked);
  const { allowanceAfter, invalid } = checked.answer;
  if (count === 0 || invalid.length >= ERRORS_MAX || (allowanceAfter !== null && allowanceAfter < 0)) return undefined;
  return h(
    'button',
    { type: 'button', class: 'primary', disabled: form.busy !== '', onClick: () => void add(checked) },
    many(checked.faulty.size > 0 ? 'addOthers' : 'addPeople', count),
  );
}

function preview(checked: Checked): ComponentChildren {
  const { answer, faulty } = checked;
  const { allowanceAfter } = answer;
  return h(
    'div',
    { class: 'people-preview' },
    h(
      'div',
      { role: 'status' },
      h(
        'ul',
        null,
        h('li', null, many('rowsValid', answer.valid)),
        faulty.size > 0 && h('li', { class: 'people-bad' }, many('rowsFaulty', faulty.size)),
        answer.duplicates.length > 0 && h('li', null, many('rowsDuplicate', answer.duplicates.length)),
        toAdd(checked) === 0 && h('li', null, say('nothingToAdd')),
        allowanceAfter !== null &&
          allowanceAfter < 0 &&
          h('li', { class: 'people-bad' }, say('allowanceMissing', { count: -allowanceAfter })),
      ),
    ),
    faulty.size > 0 && errors(checked),
  );
}

function errors({ rows, answer: { invalid } }: Checked): ComponentChildren {
  const texts = new Map(rows.map(({ line, text }) => [line, text.trim()]));
  const shown = invalid.slice(0, ERRORS_SHOWN);
  return [
    h(
      'div',
      { class: 'people-errors', tabindex: 0, role: 'group', 'aria-label': say('errorsTitle') },
      h(
        'table',
        { 'aria-label': say('errorsTitle') },
        h(
          'thead',
          null,
          h(
            'tr',
            null,
            [say('line'), say('column'), say('problem'), say('row')].map(name => h('th', { scope: 'col' }, name)),
          ),
        ),
        h(
          'tbody',
          null,
          shown.map(({ line, field, reason }) =>
            h(
              'tr',
              { key: `${line} ${field}` },
              h('td', null, number(line)),
              h('td', null, field ?? say('wholeRow')),
              h('td', null, reason),
              h('td', { dir: 'auto' }, (texts.get(line) ?? '').slice(0, ROW_SHOWN)),
            ),
          ),
        ),
      ),
    ),
    invalid.length > shown.length &&
      h('p', { class: 'hint' }, say('moreErrors', { shown: shown.length, count: invalid.length })),
  ];
}

const send = (text: string, query: string, key?: string): Promise<Response> =>
  write('POST', `/links?onDuplicate=skip${query}`, text, {
    headers: { 'content-type': 'text/csv; charset=utf-8', ...(key && { 'idempotency-key': key }) },
    limitMs: LIMIT_MS,
  });

async function check(): Promise<void> {
  const file = field.current?.files?.[0];
  if (!file) return;
  chosen += 1;
  const mine = chosen;
  const tell = (part: Partial<Form>) => {
    if (mine === chosen) show(part);
  };
  tell({ busy: 'checking', problem: '', checked: undefined });
  try {
    if (file.size > FILE_BYTES) return tell({ busy: '', problem: say('tooLarge') });
    const text = textOfFile(new Uint8Array(await file.arrayBuffer()));
    if (text === undefined) return tell({ busy: '', problem: say('notText') });
    const answer = (await (await send(text, '&dryRun=true')).json()) as LinksCheckedJson;
    const faulty = new Set(answer.invalid.map(({ line }) => line));
    tell({ busy: '', checked: { rows: rowsOf(text), answer, faulty, key: newKey() } });
  } catch (error) {
    tell({ busy: '', problem: say('unreadable', { reason: sentenceOf(error) }) });
  }
}

async function add({ rows, faulty, key }: Checked): Promise<void> {
  const mine = chosen;
  show({ busy: 'adding', problem: '' });
  try {
    const answer = await send(withoutLines(rows, faulty), '', key);
    const { created } = (await answer.json()) as LinksAddedJson;
    const line = many('added', created);
    announce(line);
    change({ result: { lines: [line], isProblem: false } });
    if (mine === chosen) dialog?.close();
    loadAdded();
  } catch (error) {
    if (mine !== chosen) return;
    const problem = error instanceof Refusal ? say('addProblem', { reason: sentenceOf(error) }) : say('notSure');
    show({ busy: '', problem });
  }
}
