import { clock } from '@recording-request/web-shared/clock';
import { type ComponentChildren, h } from 'preact';
import { type Clip, type State, statesOf, titleOf } from '../clip.ts';
import { spokenLength } from '../format.ts';
import { marked, quotesOf } from '../search.ts';
import { time } from './time.ts';

export interface CardContext {
  /** The dashboard's own path, without a slash at its end. */
  here: string;
  /** The words that are looked for. */
  words: string[];
  /** Whether the reviewer may select. */
  writes: boolean;
  /** Whether the page has its script: without it a clip opens as a file. */
  script: boolean;
  /** The clips that came in while the page was open. */
  arrived?: Set<string>;
}

/** One clip in the grid: a picture that opens it, and what there is to know at a glance. */
export function clipCard(clip: Clip, context: CardContext): ComponentChildren {
  const { here, words, writes, script } = context;
  const at = `${here}/submissions/${clip.submissionId}`;
  const id = `about-${clip.submissionId}`;
  const states = statesOf(clip).filter(({ short }) => short !== '');
  return h(
    'li',
    { key: clip.submissionId, class: classOf(clip, context), 'data-id': clip.submissionId },
    h(
      'a',
      {
        class: 'open',
        href: script ? `#clip-${clip.submissionId}` : `${at}/video`,
        'aria-describedby': id,
        'data-open': '',
      },
      h(
        'span',
        { class: 'frame' },
        clip.thumbnailMiddleUrl
          ? h('img', { loading: 'lazy', decoding: 'async', alt: '', src: `${at}/thumbnail-middle` })
          : h('span', { class: 'no-picture' }, clip.mediaStatus === 'failed' ? 'No picture' : 'Picture to come'),
        clip.durationSec !== null && h('span', { class: 'length', 'aria-hidden': 'true' }, clock(clip.durationSec)),
      ),
      h('span', { class: 'hidden-text' }, `Watch ${titleOf(clip)}`),
    ),
    h(
      'div',
      { class: 'about', id },
      clip.questionText && h('p', { class: 'question', dir: 'auto' }, marked(titleOf(clip), words)),
      h(
        'p',
        { class: 'when' },
        time(clip.createdAt),
        clip.durationSec !== null && h('span', { class: 'hidden-text' }, `, ${spokenLength(clip.durationSec)}`),
      ),
      quotesOf(clip, words).map(({ where, text }) =>
        h('p', { class: 'quote', dir: 'auto' }, where && h('b', null, `${where}: `), marked(text, words)),
      ),
      states.length > 0 && h('ul', { class: 'states' }, states.map(stateTag)),
    ),
    selection(clip, writes),
    !script &&
      h(
        'noscript',
        null,
        h(
          'p',
          { class: 'files' },
          h('a', { href: `${at}/video`, download: '' }, 'Video'),
          clip.audioUrl && [' · ', h('a', { href: `${at}/audio`, download: '' }, 'Audio')],
          clip.transcriptStatus === 'completed' && [' · ', h('a', { href: `${at}/transcript.txt` }, 'Transcript')],
        ),
        clip.note && h('p', { dir: 'auto' }, `Note: ${clip.note}`),
        clip.reviewNote && h('p', { dir: 'auto' }, `Review note: ${clip.reviewNote}`),
      ),
  );
}

const classOf = ({ submissionId, selected }: Clip, { arrived }: CardContext): string =>
  ['clip', selected && 'is-selected', arrived?.has(submissionId) && 'is-new'].filter(Boolean).join(' ');

const stateTag = ({ kind, short }: State): ComponentChildren => h('li', { class: `state ${kind}` }, short);

/** The star: to press for who may, else a fact. */
function selection({ selected }: Clip, writes: boolean): ComponentChildren {
  if (!writes) return selected && h('p', { class: 'star' }, '★', h('span', null, ' Selected'));
  return h(
    'button',
    { class: 'star', type: 'button', 'data-select': '', 'aria-pressed': String(selected) },
    h('span', { 'aria-hidden': 'true' }, selected ? '★' : '☆'),
    ' ',
    h('span', { class: 'star-word' }, selected ? 'Selected' : 'Select'),
  );
}
