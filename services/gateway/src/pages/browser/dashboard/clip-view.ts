import { marked } from '../../dashboard/search.ts';
import { el, type Tree } from '../../dashboard/tree.ts';
import { type Clip, clock, size, statesOf, time, titleOf } from '../../dashboard/words.ts';
import { mayWrite } from './access.ts';
import { here } from './api.ts';
import { answersOf } from './clips.ts';
import { buildOne, byId, fill } from './dom.ts';
import { searchedWords } from './held.ts';
import { isDrafting, noteForm, wireNote } from './note.ts';
import { followTranscript } from './transcript.ts';

// Everything about one clip: what it shows and says, what was noted, and what can be taken home.

const at = (clip: Clip): string => `${here}/submissions/${clip.submissionId}`;

const section = (title: string, ...rest: Tree[]): Tree => el('section', {}, el('h3', {}, title), rest);

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
        {},
        el('h3', { id: 'transcript-title' }, 'Transcript'),
        el(
          'div',
          { id: 'transcript', class: 'transcript', tabindex: 0, role: 'group', 'aria-labelledby': 'transcript-title' },
          transcriptText(clip),
        ),
      ),
      clip.note && section('Note of the contributor', quoted(clip.note)),
      el('section', { id: 'review-box', 'data-id': clip.submissionId }, reviewBox(clip)),
      section('Take it home', el('p', { id: 'files', class: 'buttons' }, files(clip))),
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
  const told = statesOf(clip);
  const items = told.map(({ kind, long }) => el('li', { class: kind }, long));
  return [
    told.length > 0 && el('ul', { class: 'long-states' }, items),
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

function transcriptText(clip: Clip): Tree {
  if (clip.transcriptText) return quoted(clip.transcriptText);
  const why = statesOf(clip).findLast(({ long }) => /transcript|speech/i.test(long));
  return el('p', { class: 'soft' }, why?.long ?? 'There is none.');
}

function reviewBox(clip: Clip): Tree {
  const title = el('h3', {}, 'Review');
  if (mayWrite()) return [title, selectButton(clip), noteForm(clip)];
  return [
    title,
    el('p', {}, clip.selected ? '★ Selected' : 'Not selected'),
    clip.reviewNote && quoted(clip.reviewNote),
  ];
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
  if (!done) fill(byId('transcript'), transcriptText(clip));
  else if (!video?.querySelector('track')) {
    // The captions come with a new player; who is watching keeps the one they have, and reads the text.
    if (video?.paused && video.currentTime === 0) play(clip);
    else fill(byId('transcript'), transcriptText(clip));
  }
  if (isDrafting(clip.submissionId) || document.activeElement?.id === 'note') {
    byId('review-box')
      .querySelector('[data-select]')
      ?.replaceWith(buildOne(selectButton(clip)));
  } else refreshReview(clip);
}

export function refreshReview(clip: Clip): void {
  if (!document.getElementById('review-box')) return;
  fill(byId('states'), states(clip));
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
