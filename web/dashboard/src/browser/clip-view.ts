import { clock } from '@recording-request/web-shared/clock';
import { marked } from '../search.ts';
import { el, type Tree } from '../tree.ts';
import { type Clip, mediaStates, size, time, titleOf, transcriptStates } from '../words.ts';
import { mayWrite } from './access.ts';
import { here } from './api.ts';
import { answersOf } from './clips.ts';
import { buildOne, byId, fill } from './dom.ts';
import { searchedWords } from './held.ts';
import { isDrafting, noteForm, wireNote } from './note.ts';
import { followTranscript } from './transcript.ts';

// Everything about one clip: what it shows and says, what was noted, and what can be taken home.

const at = (clip: Clip): string => `${here}/submissions/${clip.submissionId}`;

const section = (title: string, ...rest: Tree[]): Tree => el('section', { class: 'part' }, el('h3', {}, title), rest);

/** Fills the viewer. */
export function showClip(clip: Clip): void {
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
        { class: 'part' },
        el('h3', { id: 'transcript-title' }, 'Transcript'),
        el(
          'div',
          { id: 'transcript', class: 'transcript', tabindex: 0, role: 'group', 'aria-labelledby': 'transcript-title' },
          transcriptText(clip),
        ),
      ),
      clip.note && section('Note of the contributor', quoted(clip.note)),
      section(
        'Review',
        el('div', { id: 'review-box', class: 'part', 'data-id': clip.submissionId }, review(clip)),
        el('button', { id: 'review-this', type: 'button', class: 'small', hidden: mayWrite() }, 'Review this clip'),
      ),
      section(
        'Take it home',
        el('p', { id: 'files', class: 'buttons' }, files(clip)),
        el('p', { class: 'hint' }, 'The address opens this clip, and with it the whole dashboard.'),
      ),
    ),
  ]);
  if (mayWrite()) wireNote(clip);
  play(clip);
}

const quoted = (text: string): Tree => el('p', { class: 'text', dir: 'auto' }, marked(text, searchedWords()));

function play(clip: Clip): void {
  const video = document.createElement('video');
  video.controls = true;
  video.playsInline = true;
  video.preload = 'metadata';
  video.classList.toggle('timed', clip.durationSec !== null);
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

function states(clip: Clip): Tree {
  const items = mediaStates(clip).map(({ kind, long }) => el('li', { class: kind }, long));
  return items.length > 0 && el('ul', { class: 'long-states' }, items);
}

function transcriptText(clip: Clip): Tree {
  return [
    transcriptStates(clip).map(({ kind, long }) => el('p', { class: kind }, long)),
    clip.transcriptText && quoted(clip.transcriptText),
    clip.transcriptStatus === 'failed' &&
      mayWrite() &&
      el(
        'p',
        {},
        el(
          'button',
          { type: 'button', class: 'small', 'data-again-for': clip.submissionId },
          'Make the transcript again',
        ),
      ),
  ];
}

function review(clip: Clip): Tree {
  if (mayWrite()) return [selectButton(clip), noteForm(clip)];
  return [el('p', {}, clip.selected ? '★ Selected' : 'Not selected'), clip.reviewNote && quoted(clip.reviewNote)];
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
  el('button', { id: 'copy-clip', type: 'button', class: 'small' }, 'Copy the address'),
];

/** The ways to the other answers of who recorded this one. Does nothing where `stillOpen` says no. */
export async function showAnswers(clip: Clip, stillOpen: () => boolean): Promise<void> {
  const answers = await answersOf(clip).catch(() => []);
  if (!stillOpen() || answers.length < 2) return;
  const links = answers.map(answer =>
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
  );
  fill(byId('answers'), ['Answers: ', links]);
  byId('answers').hidden = false;
}

/** Puts what the server tells of the clip that is open into the viewer, without a break in its playing. */
export function refreshClip(clip: Clip): void {
  if (!document.getElementById('states')) return;
  fill(byId('states'), states(clip));
  const focused = byId('files').contains(document.activeElement);
  if (!focused) fill(byId('files'), files(clip));
  const done = clip.transcriptStatus === 'completed' && clip.transcriptText;
  const video = document.querySelector<HTMLVideoElement>('#player video');
  if (!done) fillTranscript(clip);
  else if (!video?.querySelector('track')) {
    // The captions come with a new player; who is watching keeps the one they have, and reads the text.
    if (video?.paused && video.currentTime === 0) play(clip);
    else fillTranscript(clip);
  }
  if (isDrafting(clip.submissionId) || document.activeElement?.id === 'note') {
    byId('review-box')
      .querySelector('[data-select]')
      ?.replaceWith(buildOne(selectButton(clip)));
  } else refreshReview(clip);
}

function fillTranscript(clip: Clip): void {
  const box = byId('transcript');
  const focused = box.querySelector(':focus');
  fill(box, transcriptText(clip));
  if (focused) (box.querySelector('button') ?? box).focus();
}

/** What the reviewer may do with the clip that is open has changed, or what was done. */
export function refreshReview(clip: Clip): void {
  const box = document.getElementById('review-box');
  if (!box) return;
  if (clip.transcriptStatus !== 'completed') fillTranscript(clip);
  const begin = byId('review-this');
  const focused = document.activeElement === begin ? begin : box.querySelector(':focus');
  const state = document.getElementById('note-state')?.textContent ?? '';
  fill(box, review(clip));
  if (mayWrite()) {
    wireNote(clip);
    byId('note-state').textContent = state;
  }
  begin.hidden = mayWrite();
  if (!focused) return;
  // Who began here goes on with the star; who lost the right to write, where they can get it back.
  const same = focused !== begin && focused.id ? document.getElementById(focused.id) : null;
  (same ?? box.querySelector<HTMLElement>('[data-select]') ?? begin).focus();
}
