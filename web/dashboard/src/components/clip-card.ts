import { clock } from '@recording-request/web-shared/clock';
import { type ComponentChildren, h } from 'preact';
import { type Clip, personOf, type State, statesOf, titleOf } from '../clip.ts';
import { spokenLength } from '../format.ts';
import { type Found, marked, quotesOf } from '../search.ts';
import { moment, time } from './time.ts';

export interface CardContext {
  /** The dashboard's own path, without a trailing slash. */
  here: string;
  /** The words of the search. */
  words: string[];
  /** True when the reviewer may select. */
  writes: boolean;
  /** True with a script. Without a script, a clip opens as a file. */
  script: boolean;
  /** The clips that arrived while the page was open. */
  arrived?: Set<string>;
}

/** Renders one clip in the grid: a picture that opens the clip, and the most important facts. */
export function clipCard(clip: Clip, context: CardContext): ComponentChildren {
  const { here, words, writes, script } = context;
  const at = `${here}/submissions/${clip.submissionId}`;
  const id = `about-${clip.submissionId}`;
  const person = personOf(clip);
  const by = person ? ` by ${person}` : '';
  const name = `${clip.questionText ? titleOf(clip) : 'clip'}${by}, ${moment(clip.createdAt)}`;
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
          : h('span', { class: 'no-picture' }, clip.mediaStatus === 'failed' ? 'No preview' : 'No preview yet'),
        clip.durationSec !== null && h('span', { class: 'length', 'aria-hidden': 'true' }, clock(clip.durationSec)),
      ),
      h('span', { class: 'hidden-text' }, `Watch ${name}`),
    ),
    h(
      'div',
      { class: 'about', id },
      person && h('p', { class: 'recipient', dir: 'auto' }, person),
      clip.questionText && h('p', { class: 'question', dir: 'auto' }, marked(titleOf(clip), words)),
      h(
        'p',
        { class: 'when' },
        time(clip.createdAt),
        clip.durationSec !== null && h('span', { class: 'hidden-text' }, `, ${spokenLength(clip.durationSec)}`),
      ),
      quotesOf(clip, words).map(quote => quotation(quote, words)),
      states.length > 0 && h('ul', { class: 'states' }, states.map(stateTag)),
    ),
    selection(clip, name, writes),
    !script &&
      h(
        'noscript',
        null,
        h(
          'p',
          { class: 'files' },
          file('Video', `${at}/video`, name),
          clip.audioUrl && [' · ', file('Audio', `${at}/audio`, name)],
          clip.transcriptStatus === 'completed' && [' · ', file('Transcript', `${at}/transcript.txt`, name)],
        ),
        clip.note && h('p', null, 'Note: ', h('bdi', null, clip.note)),
        clip.reviewNote && h('p', null, 'Review note: ', h('bdi', null, clip.reviewNote)),
      ),
  );
}

const classOf = ({ submissionId, selected }: Clip, { arrived }: CardContext): string =>
  ['clip', selected && 'is-selected', arrived?.has(submissionId) && 'is-new'].filter(Boolean).join(' ');

const quotation = ({ where, text }: Found, words: string[]): ComponentChildren =>
  where
    ? h('p', { class: 'quote' }, h('b', null, `${where}: `), h('bdi', null, marked(text, words)))
    : h('p', { class: 'quote', dir: 'auto' }, marked(text, words));

const stateTag = ({ kind, short }: State): ComponentChildren => h('li', { class: `state ${kind}` }, short);

const file = (kind: string, href: string, name: string): ComponentChildren =>
  h('a', { href, download: '', 'aria-label': `${kind}: ${name}` }, kind);

/** Renders the star: a button with write access, otherwise a fact. */
function selection({ selected }: Clip, name: string, writes: boolean): ComponentChildren {
  if (!writes) return selected && h('p', { class: 'star' }, '★', h('span', null, ' Selected'));
  return h(
    'button',
    { class: 'star', type: 'button', 'data-select': '', 'aria-pressed': String(selected) },
    h('span', { 'aria-hidden': 'true' }, selected ? '★' : '☆'),
    ' ',
    h('span', null, selected ? 'Selected' : 'Select', h('span', { class: 'hidden-text' }, ` ${name}`)),
  );
}
