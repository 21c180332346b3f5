import { chunkOf } from '@recording-request/web-shared/browser/chunk';
import { Refusal } from '@recording-request/web-shared/browser/requests';
import { type ComponentChildren, createRef, h, type RefObject, render } from 'preact';
import { type Clip, titleOf } from '../clip.ts';
import { mayWrite, onAccess } from './access.ts';
import { sentenceOf } from './api.ts';
import { aboutClip, clipView, hasCaptions, type Transcript } from './clip-view.ts';
import { answersOf, loadMore } from './clips.ts';
import { failed } from './connection.ts';
import { focusCard } from './grid.ts';
import { getClip, hasMore, knownClip, onClip, shownOrder, visit } from './held.ts';
import { leaveNote, onNoteState, openNote } from './note.ts';
import type { Player } from './player.ts';

// Shows one clip above the page. The URL is then the page's URL with #clip-<id>, which the reader can send to anyone
// with access to the dashboard.

const loadStyle = chunkOf(() => import('./chunks/clip-style.ts'));

const HASH = /^#clip-([0-9a-f-]{36})$/;

/** The clip that is open. */
interface Open {
  id: string;
  clip: Clip | undefined;
  /** The reason why the clip cannot be shown. */
  problem: { title: string; sentence: string } | undefined;
  answers: Clip[];
  player: RefObject<Player | null>;
  captions: boolean;
  plays: boolean;
  transcript: Transcript | 'failed' | undefined;
}

let open: Open | undefined;
/** True when this page opened the clip: closing the clip then goes back in the history. */
let opened = false;
/** The last opened clip: its card gets the focus. */
let last: string | undefined;
let dialog: HTMLDialogElement | undefined;

const clipOf = (hash: string): string | undefined => HASH.exec(hash)?.[1];

function paint(): void {
  if (dialog) render(content(), dialog);
}

function content(): ComponentChildren[] {
  const order = shownOrder();
  const index = order.indexOf(open?.id ?? '');
  const isLast = index < 0 || (index === order.length - 1 && !hasMore());
  return [
    h(
      'div',
      { class: 'viewer-top' },
      h(
        'div',
        null,
        h('h2', { id: 'viewer-title', tabindex: -1, dir: 'auto', 'aria-live': 'polite' }, title()),
        h('p', { id: 'viewer-when', class: 'when' }, about()),
      ),
      h(
        'div',
        { class: 'viewer-buttons' },
        // At the ends of the list these buttons are disabled, but a focused button stays focused.
        round('previous', '‹', 'Previous clip', () => void step(-1), index <= 0),
        round('next', '›', 'Next clip', () => void step(1), isLast),
        round('close', '×', 'Close', () => dialog?.close()),
      ),
    ),
    h('div', { id: 'viewer-body', key: open?.id, class: 'viewer-body' }, body()),
  ];
}

const round = (id: string, sign: string, name: string, onClick: () => void, isEnd?: boolean): ComponentChildren =>
  h(
    'button',
    { id, type: 'button', class: 'round', 'aria-label': name, title: name, 'aria-disabled': isEnd, onClick },
    h('span', { 'aria-hidden': 'true' }, sign),
  );

function title(): string {
  const clip = open?.clip ?? knownClip(open?.id ?? '');
  return open?.problem?.title ?? (clip ? titleOf(clip) : 'Clip');
}

function about(): ComponentChildren {
  if (!open || open.problem) return null;
  if (open.clip) return aboutClip(open.clip);
  return 'Loading…';
}

function body(): ComponentChildren {
  if (!open) return null;
  const mine = open;
  if (mine.problem) return h('p', { class: 'warning' }, mine.problem.sentence);
  if (!mine.clip) return h('div', { class: 'player skeleton' });
  return clipView({
    ...mine,
    clip: mine.clip,
    onTranscript: transcript => change(mine, { transcript }),
    onAnswer: hash => void replace(hash),
  });
}

/** Renders changes of a clip that is still open. */
function change(mine: Open, changes: Partial<Open>): void {
  Object.assign(mine, changes);
  if (open === mine) paint();
}

function makeDialog(): HTMLDialogElement {
  const made = document.createElement('dialog');
  made.id = 'viewer';
  made.className = 'viewer';
  made.setAttribute('aria-labelledby', 'viewer-title');
  document.body.append(made);
  made.addEventListener('close', closed);
  // A click on the backdrop closes the viewer.
  made.addEventListener('click', ({ target }) => target === made && made.close());
  made.addEventListener('keydown', pressed);
  return made;
}

/** Handles keys: arrows switch clips, and Space toggles the playback, unless the focused element uses the key. */
function pressed(event: KeyboardEvent): void {
  const focused = event.target as Element;
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (focused.closest('video, input, textarea, select')) return;
  if (event.key === 'ArrowLeft') void step(-1);
  if (event.key === 'ArrowRight') void step(1);
  if (event.key !== ' ' || focused.closest('button, a')) return;
  event.preventDefault();
  if (!event.repeat) open?.player.current?.toggle();
}

function closed(): void {
  last = open?.id;
  leave();
  paint();
  if (clipOf(location.hash)) {
    if (opened) history.back();
    else history.replaceState(null, '', location.pathname + location.search);
  }
  opened = false;
  if (last) focusCard(last);
}

function leave(): void {
  if (open) leaveNote(open.id);
  open = undefined;
}

/** Follows the URL: opens the clip that it names, and closes any other clip. */
export async function followHash(byPage: boolean): Promise<void> {
  const id = clipOf(location.hash);
  if (id) {
    if (byPage) opened = true;
    return show(id);
  }
  opened = false;
  if (dialog?.open) dialog.close();
  // Going back moved the focus to the target of the URL.
  if (last) focusCard(last);
  last = undefined;
}

async function show(id: string): Promise<void> {
  if (open?.id === id) return;
  dialog ??= makeDialog();
  leave();
  const player = createRef<Player>();
  const mine: Open = {
    id,
    clip: undefined,
    problem: undefined,
    answers: [],
    player,
    captions: false,
    plays: true,
    transcript: undefined,
  };
  open = mine;
  paint();
  // A clip is also usable without it; the next clip tries again.
  loadStyle().catch(() => {});
  if (!dialog.open) {
    dialog.showModal();
    document.getElementById('viewer-title')?.focus();
  }
  try {
    const clip = knownClip(id) ?? (await getClip(id));
    if (open !== mine) return;
    visit(clip);
    openNote(id);
    change(mine, { clip, captions: hasCaptions(clip) });
    change(mine, { answers: await answersOf(clip).catch(() => []) });
  } catch (error) {
    if (open === mine) showProblem(mine, error);
  }
}

function showProblem(mine: Open, error: unknown): void {
  const missing = error instanceof Refusal && error.status === 404;
  const problem = missing
    ? { title: 'Clip not found', sentence: 'It may have been deleted, or the link may be incomplete.' }
    : { title: 'This clip could not be loaded', sentence: sentenceOf(error) };
  change(mine, { problem });
  if (!missing) failed(error);
}

/** Opens the previous or next clip of the list. At the end of the list, loads more clips. */
async function step(by: 1 | -1): Promise<void> {
  const from = open?.id;
  const place = () => shownOrder().indexOf(from ?? '') + by;
  if (!from || !shownOrder().includes(from)) return;
  if (place() >= shownOrder().length) await loadMore();
  const next = shownOrder()[place()];
  if (next && open?.id === from) await replace(`#clip-${next}`);
}

/** Replaces this clip by another clip. Also replaces it in the history, so that going back leads to the list. */
async function replace(hash: string): Promise<void> {
  history.replaceState(history.state, '', hash);
  await show(clipOf(hash) ?? '');
}

/** Updates the open clip without interrupting its playback. */
function refresh(clip: Clip): void {
  if (!open?.clip || open.id !== clip.submissionId) return;
  // Captions need another player. A player in use stays; the page shows the captions' text next to it.
  const captions = open.captions || (hasCaptions(clip) && open.player.current?.untouched !== false);
  change(open, { clip, captions, plays: false });
}

/**
 * Renders the clip again after the write access changed. Keeps the focus in the review box: on the star with write
 * access, otherwise on the button that requests the access.
 */
function refreshAccess(): void {
  const focused = document.activeElement?.closest('#review-box, #review-this');
  paint();
  if (focused) document.querySelector<HTMLElement>(mayWrite() ? '#review-box [data-select]' : '#review-this')?.focus();
}

export function wireViewer(): void {
  onClip(refresh);
  onAccess(refreshAccess);
  onNoteState(paint);
  loadStyle().catch(() => {});
}
