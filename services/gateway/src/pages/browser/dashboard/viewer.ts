import { marked } from '../../dashboard/search.ts';
import { el, type Tree } from '../../dashboard/tree.ts';
import { type Clip, clock, size, statesOf, time, titleOf } from '../../dashboard/words.ts';
import { mayWrite, onAccess } from './access.ts';
import { get, here, Refusal, sentenceOf } from './api.ts';
import { answersOf, focusCard, knownClip, loadMore, onClipChange, searchedWords, shownOrder, visit } from './clips.ts';
import { failed } from './connection.ts';
import { buildOne, byId, copyFrom, fill } from './dom.ts';
import { isDrafting, leaveNote, noteForm, wireNote } from './note.ts';
import { followTranscript } from './transcript.ts';

// One clip, over the page: player, transcript, what was noted, and what can be taken home. Its address is the page's with
// #clip-<id>, so that it can be sent to who may open the dashboard.

const HASH = /^#clip-([0-9a-f-]{36})$/;

let open: string | undefined;
/** Whether this page opened it: then going back closes it. */
let opened = false;

export const clipOf = (hash: string): string | undefined => HASH.exec(hash)?.[1];

const arrow = (id: string, sign: string, name: string): Tree =>
  el(
    'button',
    { id, type: 'button', class: 'round', 'aria-label': name, title: name },
    el('span', { 'aria-hidden': 'true' }, sign),
  );

function makeDialog(): HTMLDialogElement {
  const dialog = buildOne(
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
          arrow('previous', '‹', 'Previous clip'),
          arrow('next', '›', 'Next clip'),
          arrow('close', '×', 'Close'),
        ),
      ),
      el('div', { id: 'viewer-body', class: 'viewer-body' }),
    ),
  ) as HTMLDialogElement;
  document.body.append(dialog);
  byId('close').addEventListener('click', () => dialog.close());
  byId('previous').addEventListener('click', () => void step(-1));
  byId('next').addEventListener('click', () => void step(1));
  dialog.addEventListener('close', closed);
  // Another answer takes this one's place, also in the history: going back leads to the list.
  dialog.addEventListener('click', event => {
    const answer = (event.target as Element).closest<HTMLAnchorElement>('#answers a');
    if (!answer) return;
    event.preventDefault();
    void replace(answer.hash);
  });
  // The ground around it.
  dialog.addEventListener('click', event => event.target === dialog && dialog.close());
  dialog.addEventListener('keydown', event => {
    if ((event.target as Element).closest('video, input, textarea, select')) return;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'ArrowLeft') void step(-1);
    if (event.key === 'ArrowRight') void step(1);
  });
  return dialog;
}

const dialogOf = (): HTMLDialogElement =>
  (document.getElementById('viewer') as HTMLDialogElement | null) ?? makeDialog();

function closed(): void {
  const last = open;
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
  const dialog = document.getElementById('viewer') as HTMLDialogElement | null;
  if (!id) {
    opened = false;
    if (dialog?.open) dialog.close();
    return;
  }
  if (byPage) opened = true;
  await show(id);
}

async function show(id: string): Promise<void> {
  const dialog = dialogOf();
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
  arrows();
  try {
    const clip = known ?? (await get<Clip>(`/submissions/${id}`));
    visit(clip);
    if (open === id) paint(clip);
  } catch (error) {
    if (open === id) tellFailure(error);
  }
}

function tellFailure(error: unknown): void {
  const missing = error instanceof Refusal && error.status === 404;
  byId('viewer-title').textContent = missing ? 'This clip is not here' : 'The clip could not be loaded';
  fill(byId('viewer-when'), null);
  fill(
    byId('viewer-body'),
    el('p', { class: 'warning' }, missing ? 'It may have been erased, or its address was cut off.' : sentenceOf(error)),
  );
  if (!missing) failed(error);
}

const at = (clip: Clip): string => `${here}/submissions/${clip.submissionId}`;

function paint(clip: Clip): void {
  byId('viewer-title').textContent = titleOf(clip);
  fill(byId('viewer-when'), [
    time(clip.createdAt),
    clip.durationSec !== null && ` · ${clock(clip.durationSec)}`,
    clip.fileSize !== null && ` · ${size(clip.fileSize)}`,
  ]);
  fill(byId('viewer-body'), [
    el(
      'div',
      { class: 'viewer-left' },
      el('div', { id: 'player', class: 'player' }),
      el('nav', { id: 'answers', class: 'answers', 'aria-label': 'Answers of this contributor', hidden: true }),
      el('div', { id: 'states' }, states(clip)),
    ),
    el(
      'div',
      { class: 'viewer-right' },
      el(
        'section',
        { 'aria-labelledby': 'transcript-title' },
        el('h3', { id: 'transcript-title' }, 'Transcript'),
        el(
          'div',
          { id: 'transcript', class: 'transcript', tabindex: 0, role: 'group', 'aria-labelledby': 'transcript-title' },
          transcriptText(clip),
        ),
      ),
      clip.note &&
        el(
          'section',
          {},
          el('h3', {}, 'Note of the contributor'),
          el('p', { class: 'text', dir: 'auto' }, marked(clip.note, searchedWords())),
        ),
      el('section', { id: 'review-box', class: 'review', 'data-id': clip.submissionId }, reviewBox(clip)),
      el('section', {}, el('h3', {}, 'Take it home'), el('p', { id: 'files', class: 'buttons' }, files(clip))),
    ),
  ]);
  if (mayWrite()) wireNote(clip);
  play(clip);
  void showAnswers(clip);
}

function play(clip: Clip): void {
  const video = document.createElement('video');
  video.controls = true;
  video.playsInline = true;
  video.preload = 'metadata';
  video.setAttribute('aria-label', `Player: ${titleOf(clip)}`);
  if (clip.thumbnailStartUrl) video.poster = `${at(clip)}/thumbnail-start`;
  video.addEventListener('error', () => {
    if (!video.getAttribute('src')) return;
    const words = 'This browser cannot play the clip right now. Save the video below and play it with another program.';
    byId('player').append(buildOne(el('p', { class: 'warning', role: 'alert' }, words)));
  });
  byId('player').replaceChildren(video);
  if (clip.transcriptStatus === 'completed' && clip.transcriptText) {
    const track = document.createElement('track');
    track.kind = 'captions';
    track.label = 'Transcript';
    track.src = `${at(clip)}/transcript.vtt`;
    video.append(track);
    followTranscript(video, track, byId('transcript'));
  }
  video.src = `${at(clip)}/video`;
}

const states = (clip: Clip): Tree => {
  const told = statesOf(clip);
  return (
    told.length > 0 &&
    el(
      'ul',
      { class: 'long-states' },
      told.map(({ kind, long }) => el('li', { class: kind }, long)),
    )
  );
};

const transcriptText = (clip: Clip): Tree =>
  clip.transcriptText
    ? el('p', { class: 'text', dir: 'auto' }, marked(clip.transcriptText, searchedWords()))
    : el('p', { class: 'soft' }, transcriptWord(clip));

const transcriptWord = (clip: Clip): string =>
  statesOf(clip).findLast(({ long }) => /transcript|speech/i.test(long))?.long ?? 'There is none.';

function reviewBox(clip: Clip): Tree {
  if (!mayWrite()) {
    return [
      el('h3', {}, 'Review'),
      el('p', {}, clip.selected ? '★ Selected' : 'Not selected'),
      clip.reviewNote && el('p', { class: 'text', dir: 'auto' }, marked(clip.reviewNote, searchedWords())),
    ];
  }
  return [el('h3', {}, 'Review'), selectButton(clip), noteForm(clip)];
}

const selectButton = ({ selected }: Clip): Tree =>
  el(
    'button',
    { type: 'button', class: 'select-big', 'data-select': true, 'aria-pressed': String(selected) },
    el('span', { 'aria-hidden': 'true' }, selected ? '★ ' : '☆ '),
    selected ? 'Selected' : 'Select this clip',
  );

const file = (href: string, name: string): Tree => el('a', { class: 'button small', href, download: true }, name);

const files = (clip: Clip): Tree => [
  file(`${at(clip)}/video`, clip.fileSize === null ? 'Video' : `Video, ${size(clip.fileSize)}`),
  clip.audioUrl && file(`${at(clip)}/audio`, 'Audio'),
  clip.transcriptStatus === 'completed' && [
    file(`${at(clip)}/transcript.txt`, 'Transcript'),
    file(`${at(clip)}/transcript.vtt`, 'Captions'),
  ],
  el('button', { id: 'copy-clip', type: 'button', class: 'small' }, 'Copy the address of this clip'),
];

/** The other answers of who recorded this one. */
async function showAnswers(clip: Clip): Promise<void> {
  const answers = await answersOf(clip).catch(() => []);
  if (open !== clip.submissionId || answers.length < 2) return;
  const nav = byId('answers');
  fill(
    nav,
    answers.map(answer =>
      el(
        'a',
        {
          href: `#clip-${answer.submissionId}`,
          'aria-label': `Question ${titleOf(answer)}`,
          title: answer.questionText,
          'aria-current': answer.submissionId === clip.submissionId && 'true',
        },
        String((answer.questionIndex ?? 0) + 1),
      ),
    ),
  );
  nav.prepend('Answers: ');
  nav.hidden = false;
}

function arrows(): void {
  const order = shownOrder();
  const index = order.indexOf(open ?? '');
  // Those ends have nothing behind them; a button that had the focus keeps it.
  byId('previous').setAttribute('aria-disabled', String(index <= 0));
  byId('next').setAttribute('aria-disabled', String(index < 0 || (index === order.length - 1 && byId('more').hidden)));
}

/** The clip before or after this one, as the list shows them; at its end the list goes on. */
async function step(by: 1 | -1): Promise<void> {
  const here = open;
  const place = () => shownOrder().indexOf(here ?? '') + by;
  if (shownOrder().indexOf(here ?? '') < 0) return;
  if (place() >= shownOrder().length) await loadMore();
  const next = shownOrder()[place()];
  if (!next || open !== here) return;
  await replace(`#clip-${next}`);
}

async function replace(hash: string): Promise<void> {
  history.replaceState(history.state, '', hash);
  await show(clipOf(hash) ?? '');
}

/** What the server tells of the clip that is open, without a break in its playing. */
function refresh(clip: Clip): void {
  if (clip.submissionId !== open || !document.getElementById('states')) return;
  fill(byId('states'), states(clip));
  fill(byId('files'), files(clip));
  const done = clip.transcriptStatus === 'completed' && clip.transcriptText;
  const video = document.querySelector<HTMLVideoElement>('#player video');
  const untouched = video?.paused && video.currentTime === 0;
  if (done && !video?.querySelector('track')) {
    // The captions come with a new player; who is watching keeps the one they have, and reads the text.
    if (untouched) play(clip);
    else fill(byId('transcript'), transcriptText(clip));
  } else if (!done) fill(byId('transcript'), transcriptText(clip));
  if (isDrafting(clip.submissionId) || document.activeElement?.id === 'note') {
    byId('review-box')
      .querySelector('[data-select]')
      ?.replaceWith(buildOne(selectButton(clip)));
    return;
  }
  repaintReview(clip);
}

function repaintReview(clip: Clip): void {
  const focused = byId('review-box').contains(document.activeElement) ? document.activeElement : undefined;
  const which = focused?.id ? `#${focused.id}` : '[data-select]';
  const state = document.getElementById('note-state')?.textContent ?? '';
  fill(byId('review-box'), reviewBox(clip));
  if (mayWrite()) {
    wireNote(clip);
    byId('note-state').textContent = state;
  }
  if (focused) byId('review-box').querySelector<HTMLElement>(which)?.focus();
}

export function wireViewer(): void {
  onClipChange(refresh);
  onAccess(() => {
    const clip = open && knownClip(open);
    if (clip && document.getElementById('review-box')) repaintReview(clip);
  });
  addEventListener('click', event => {
    const button = (event.target as Element).closest?.<HTMLElement>('#copy-clip');
    if (button) void copyFrom(button, location.href);
  });
}
