import { clock } from '@recording-request/web-shared/clock';
import { marked, quotesOf } from './search.ts';
import { el, type Tree } from './tree.ts';
import { type Clip, type State, spokenLength, statesOf, time, titleOf } from './words.ts';

export interface CardContext {
  /** The dashboard's own path, without a slash at its end. */
  here: string;
  /** The words that are looked for. */
  words: string[];
  /** Whether the reviewer may select. */
  writes: boolean;
  /** Whether the page has its script: without it a clip opens as a file. */
  script: boolean;
}

/** One clip in the grid: a picture that opens it, and what there is to know at a glance. */
export function clipCard(clip: Clip, { here, words, writes, script }: CardContext): Tree {
  const at = `${here}/submissions/${clip.submissionId}`;
  const id = `about-${clip.submissionId}`;
  const states = statesOf(clip).filter(({ short }) => short !== '');
  return el(
    'li',
    { class: clip.selected ? 'clip is-selected' : 'clip', 'data-id': clip.submissionId },
    el(
      'a',
      {
        class: 'open',
        href: script ? `#clip-${clip.submissionId}` : `${at}/video`,
        'aria-describedby': id,
        'data-open': true,
      },
      el(
        'span',
        { class: 'frame' },
        clip.thumbnailMiddleUrl
          ? el('img', { src: `${at}/thumbnail-middle`, alt: '', loading: 'lazy', decoding: 'async' })
          : el('span', { class: 'no-picture' }, clip.mediaStatus === 'failed' ? 'No picture' : 'Picture to come'),
        clip.durationSec !== null && el('span', { class: 'length', 'aria-hidden': 'true' }, clock(clip.durationSec)),
      ),
      el('span', { class: 'hidden-text' }, `Watch ${titleOf(clip)}`),
    ),
    el(
      'div',
      { class: 'about', id },
      clip.questionText && el('p', { class: 'question', dir: 'auto' }, marked(titleOf(clip), words)),
      el(
        'p',
        { class: 'when' },
        time(clip.createdAt),
        clip.durationSec !== null && el('span', { class: 'hidden-text' }, `, ${spokenLength(clip.durationSec)}`),
      ),
      quotesOf(clip, words).map(({ where, text }) =>
        el('p', { class: 'quote', dir: 'auto' }, where && el('b', {}, `${where}: `), marked(text, words)),
      ),
      states.length > 0 && el('ul', { class: 'states' }, states.map(stateTag)),
    ),
    selection(clip, writes),
    el(
      'noscript',
      {},
      el(
        'p',
        { class: 'files' },
        el('a', { href: `${at}/video`, download: true }, 'Video'),
        clip.audioUrl && [' · ', el('a', { href: `${at}/audio`, download: true }, 'Audio')],
        clip.transcriptStatus === 'completed' && [' · ', el('a', { href: `${at}/transcript.txt` }, 'Transcript')],
      ),
      clip.note && el('p', { dir: 'auto' }, `Note: ${clip.note}`),
      clip.reviewNote && el('p', { dir: 'auto' }, `Review note: ${clip.reviewNote}`),
    ),
  );
}

const stateTag = ({ kind, short }: State): Tree => el('li', { class: `state ${kind}` }, short);

/** The star: to press for who may, else a fact. */
function selection({ selected }: Clip, writes: boolean): Tree {
  if (!writes) return selected && el('p', { class: 'star' }, '★', el('span', {}, ' Selected'));
  return el(
    'button',
    { class: 'star', type: 'button', 'data-select': true, 'aria-pressed': String(selected) },
    el('span', { 'aria-hidden': 'true' }, selected ? '★' : '☆'),
    ' ',
    el('span', { class: 'star-word' }, selected ? 'Selected' : 'Select'),
  );
}
