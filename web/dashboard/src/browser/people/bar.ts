import type { LinkActionName } from '@recording-request/contract/link-requests';
import { announce } from '@recording-request/web-shared/browser/texts';
import { type ComponentChildren, h } from 'preact';
import { sentenceOf } from '../api.ts';
import { actOn, type Outcome } from './actions.ts';
import { reloadPeople } from './loading.ts';
import { csvOf, hasAddress } from './person.ts';
import { change, selectedPeople, state } from './state.ts';
import { many, say } from './texts.ts';

// The bar with the actions on the selected people.

const FILE_MS = 60_000;
const DONE = { remind: 'remindDone', disable: 'disableDone', enable: 'enableDone' } as const;

const button = (text: string, onClick: () => void, more: Record<string, unknown> = {}): ComponentChildren =>
  h('button', { type: 'button', class: 'small', onClick, ...more }, text);

export function bar(): ComponentChildren {
  const { selected, shown, running, asking } = state;
  if (selected.size === 0) return undefined;
  const seen = shown.filter(({ id }) => selected.has(id)).length;
  const hidden = selected.size - seen;
  const about = h(
    'p',
    null,
    h('b', null, many('selected', selected.size)),
    hidden > 0 && `, ${many('hiddenSelected', hidden)}`,
  );
  return h(
    'div',
    { id: 'people-bar', class: 'people-bar', role: 'region', 'aria-label': say('selection') },
    asking ? h('p', null, many('askRemind', selected.size)) : about,
    h(
      'div',
      { class: 'buttons' },
      asking
        ? [
            button(say('yesRemind'), () => void act('remind'), { key: 'yes', class: 'small primary', ref: focusOnce }),
            button(say('cancel'), doNotAsk, { key: 'no' }),
          ]
        : [
            button(say('remind'), () => change({ asking: true }), { key: 'remind', disabled: running !== undefined }),
            button(say('close'), () => void act('disable'), { key: 'close', disabled: running !== undefined }),
            button(say('open'), () => void act('enable'), { key: 'open', disabled: running !== undefined }),
            button(say('copyLinks'), () => void copyLinks(), { key: 'copy' }),
            button(say('download'), download, { key: 'download' }),
            button(say('clear'), () => change({ selected: new Set() }), { key: 'clear' }),
          ],
    ),
  );
}

function doNotAsk(): void {
  change({ asking: false });
  document.querySelector<HTMLElement>('#people-bar button')?.focus();
}

let focusedBefore = false;

/** Focuses the button when it appears: the button that was pressed is gone. */
function focusOnce(element: HTMLElement | null): void {
  if (element && !focusedBefore) element.focus();
  focusedBefore = element !== null;
}

function tell(lines: string[], isProblem: boolean): void {
  change({ result: { lines, isProblem } });
  announce(lines.join(' '));
  // The pressed button may be gone with the selection.
  if (document.activeElement === document.body) document.getElementById('people-result')?.focus();
}

async function act(action: LinkActionName): Promise<void> {
  const ids = selectedPeople().map(({ id }) => id);
  const stop = new AbortController();
  const total = ids.length;
  const outcome: Outcome = { action, done: [], refused: new Map() };
  let answered = 0;
  const show = () => change({ running: { what: say('selection'), done: answered, total, cancel: () => stop.abort() } });
  change({ asking: false });
  show();
  let problem: string | undefined;
  try {
    await actOn(outcome, ids, stop.signal, now => {
      answered = now;
      show();
    });
  } catch (error) {
    problem = stop.signal.aborted
      ? say('stoppedAfter', { done: answered, total })
      : say('actionProblem', { done: answered, total, reason: sentenceOf(error) });
  }
  const selected = new Set(state.selected);
  for (const id of outcome.done) selected.delete(id);
  change({ selected, running: undefined });
  const refusals = [...outcome.refused].map(([reason, count]) => say('refusal', { count, reason }));
  tell(
    [
      many(DONE[action], outcome.done.length),
      ...refusals,
      ...(refusals.length > 0 ? [say('refusedStay')] : []),
      ...(problem ? [problem] : []),
    ],
    problem !== undefined || refusals.length > 0,
  );
  // A request whose answer was lost may have acted too.
  await reloadPeople(ids);
}

async function copyLinks(): Promise<void> {
  const urls = selectedPeople()
    .filter(hasAddress)
    .map(({ link }) => link.recipientUrl);
  try {
    await navigator.clipboard.writeText(urls.join('\n'));
    tell([many('linksCopied', urls.length)], false);
  } catch {
    tell([say('copyBlocked')], true);
  }
}

/** Saves a table of the selected people. The file is made in this tab, so no address has its content. */
function download(): void {
  const url = URL.createObjectURL(new Blob([csvOf(selectedPeople())], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'people.csv';
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), FILE_MS);
}
