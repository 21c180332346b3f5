import { el, type Tree } from '../tree.ts';
import { time, titleOf } from '../words.ts';
import { askForToken, onAccess } from './access.ts';
import { Refusal, sentenceOf } from './api.ts';
import { refreshClip, refreshReview, showAnswers, showClip } from './clip-view.ts';
import { loadMore } from './clips.ts';
import { failed } from './connection.ts';
import { buildOne, byId, copyFrom, fill } from './dom.ts';
import { focusCard } from './grid.ts';
import { getClip, hasMore, knownClip, onClip, shownOrder, visit } from './held.ts';
import { leaveNote } from './note.ts';

// One clip, over the page. Its address is the page's with #clip-<id>, so that it can be sent to who may open the dashboard.

const HASH = /^#clip-([0-9a-f-]{36})$/;

let open: string | undefined;
/** Whether this page opened it: then going back closes it. */
let opened = false;
/** The clip that was open last: the keyboard goes on from its card. */
let last: string | undefined;

const clipOf = (hash: string): string | undefined => HASH.exec(hash)?.[1];

const round = (id: string, sign: string, name: string): Tree =>
  el(
    'button',
    { id, type: 'button', class: 'round', 'aria-label': name, title: name },
    el('span', { 'aria-hidden': 'true' }, sign),
  );

const frame = (): Tree =>
  el(
    'dialog',
    { id: 'viewer', class: 'viewer', 'aria-labelledby': 'viewer-title' },
    el(
      'div',
      { class: 'viewer-top' },
      el(
        'div',
        {},
        el('h2', { id: 'viewer-title', tabindex: -1, dir: 'auto', 'aria-live': 'polite' }),
        el('p', { id: 'viewer-when', class: 'when' }),
      ),
      el(
        'div',
        { class: 'viewer-buttons' },
        round('previous', '‹', 'Previous clip'),
        round('next', '›', 'Next clip'),
        round('close', '×', 'Close'),
      ),
    ),
    el('div', { id: 'viewer-body', class: 'viewer-body' }),
  );

function makeDialog(): HTMLDialogElement {
  const dialog = buildOne(frame()) as HTMLDialogElement;
  document.body.append(dialog);
  byId('close').addEventListener('click', () => dialog.close());
  byId('previous').addEventListener('click', () => void step(-1));
  byId('next').addEventListener('click', () => void step(1));
  dialog.addEventListener('close', closed);
  dialog.addEventListener('click', event => {
    const target = event.target as HTMLElement;
    // The ground around it.
    if (target === dialog) dialog.close();
    if (target.id === 'copy-clip') void copyFrom(target, location.href);
    if (target.id === 'review-this') askForToken();
    const answer = target.closest<HTMLAnchorElement>('#answers a');
    if (!answer) return;
    // Another answer takes this one's place, also in the history: going back leads to the list.
    event.preventDefault();
    void replace(answer.hash);
  });
  dialog.addEventListener('keydown', event => {
    if ((event.target as Element).closest('video, input, textarea, select')) return;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'ArrowLeft') void step(-1);
    if (event.key === 'ArrowRight') void step(1);
  });
  return dialog;
}

const knownDialog = () => document.getElementById('viewer') as HTMLDialogElement | null;

function closed(): void {
  last = open;
  leave();
  if (clipOf(location.hash)) {
    if (opened) history.back();
    else history.replaceState(null, '', location.pathname + location.search);
  }
  opened = false;
  if (last) focusCard(last);
}

/** Nothing of a clip that is no longer shown goes on loading. */
function leave(): void {
  if (!open) return;
  leaveNote(open);
  open = undefined;
  const video = document.querySelector<HTMLVideoElement>('#viewer video');
  video?.pause();
  video?.removeAttribute('src');
  video?.load();
  byId('viewer-body').replaceChildren();
}

/** Follows the address: opens the clip that it names, closes what it no longer names. */
export async function followHash(byPage: boolean): Promise<void> {
  const id = clipOf(location.hash);
  if (id) {
    if (byPage) opened = true;
    return show(id);
  }
  opened = false;
  if (knownDialog()?.open) knownDialog()?.close();
  // Going back has moved the focus to what the address names.
  if (last) focusCard(last);
  last = undefined;
}

async function show(id: string): Promise<void> {
  const dialog = knownDialog() ?? makeDialog();
  if (open === id) return;
  leave();
  open = id;
  const known = knownClip(id);
  byId('viewer-title').textContent = known ? titleOf(known) : 'Clip';
  fill(byId('viewer-when'), known ? time(known.createdAt) : 'Loading …');
  fill(byId('viewer-body'), el('div', { class: 'player skeleton' }));
  if (!dialog.open) {
    dialog.showModal();
    byId('viewer-title').focus();
  }
  tellEnds();
  try {
    const clip = known ?? (await getClip(id));
    if (open !== id) return;
    visit(clip);
    showClip(clip);
    void showAnswers(clip, () => open === id);
  } catch (error) {
    if (open === id) tellFailure(error);
  }
}

function tellFailure(error: unknown): void {
  const missing = error instanceof Refusal && error.status === 404;
  byId('viewer-title').textContent = missing ? 'This clip is not here' : 'The clip could not be loaded';
  fill(byId('viewer-when'), null);
  const words = missing ? 'It may have been erased, or its address was cut off.' : sentenceOf(error);
  fill(byId('viewer-body'), el('p', { class: 'warning' }, words));
  if (!missing) failed(error);
}

/** Behind the first and the last clip there is nothing; a button that had the focus keeps it. */
function tellEnds(): void {
  const order = shownOrder();
  const index = order.indexOf(open ?? '');
  byId('previous').setAttribute('aria-disabled', String(index <= 0));
  byId('next').setAttribute('aria-disabled', String(index < 0 || (index === order.length - 1 && !hasMore())));
}

/** The clip before or after this one, as the list shows them; at its end the list goes on. */
async function step(by: 1 | -1): Promise<void> {
  const from = open;
  const place = () => shownOrder().indexOf(from ?? '') + by;
  if (!from || !shownOrder().includes(from)) return;
  if (place() >= shownOrder().length) await loadMore();
  const next = shownOrder()[place()];
  if (next && open === from) await replace(`#clip-${next}`);
}

async function replace(hash: string): Promise<void> {
  history.replaceState(history.state, '', hash);
  await show(clipOf(hash) ?? '');
}

export function wireViewer(): void {
  onClip(clip => clip.submissionId === open && refreshClip(clip));
  onAccess(() => {
    const clip = open && knownClip(open);
    if (clip) refreshReview(clip);
  });
}
