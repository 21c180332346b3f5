import { chunkOf } from '@recording-request/web-shared/browser/chunk';
import { clock } from '@recording-request/web-shared/clock';
import { type ComponentChildren, h, type RefObject } from 'preact';
import { type Clip, mediaStates, personFacts, titleOf, transcriptStates } from '../clip.ts';
import { time } from '../components/time.ts';
import { size } from '../format.ts';
import { marked } from '../search.ts';
import { askForToken, mayWrite } from './access.ts';
import { copyFrom } from './clicks.ts';
import { searchedWords } from './held.ts';
import { noteForm } from './note.ts';
import { type Captioned, Player, pathOf } from './player.ts';

// The view of one clip: its player, texts, notes and downloads.

const loadTranscript = chunkOf(() => import('./chunks/transcript.ts'));

/** The loaded captions, and the component that shows them. */
export type Transcript = Captioned & Pick<Awaited<ReturnType<typeof loadTranscript>>, 'Cues'>;

export interface ClipView {
  clip: Clip;
  /** All answers of the clip's response, in the order of the questions. */
  answers: Clip[];
  player: RefObject<Player | null>;
  captions: boolean;
  /** True when the player starts by itself. */
  plays: boolean;
  /** The captions, once loaded; "failed" when they could not be loaded. */
  transcript: Transcript | 'failed' | undefined;
  onTranscript(transcript: Transcript | 'failed'): void;
  /** Replaces the clip in the view by another answer. */
  onAnswer(hash: string): void;
}

/** Returns the clip's time, length and size. */
export const aboutClip = ({ createdAt, durationSec, fileSize }: Clip): ComponentChildren => [
  time(createdAt),
  durationSec !== null && ` · ${clock(durationSec)}`,
  fileSize !== null && ` · ${size(fileSize)}`,
];

export const hasCaptions = ({ transcriptStatus, transcriptText }: Clip): boolean =>
  transcriptStatus === 'completed' && Boolean(transcriptText);

export const clipView = (view: ClipView): ComponentChildren => [
  h(
    'div',
    { class: 'viewer-left' },
    h(Player, {
      key: String(view.captions),
      holder: view.player,
      clip: view.clip,
      captions: view.captions,
      plays: view.plays,
      onCues: captioned =>
        loadTranscript().then(
          ({ Cues }) => view.onTranscript({ ...captioned, Cues }),
          () => view.onTranscript('failed'),
        ),
      onCuesFailed: () => view.onTranscript('failed'),
    }),
    answerLinks(view),
    h('div', { id: 'states' }, states(view.clip)),
  ),
  h(
    'div',
    { class: 'viewer-right' },
    h(
      'section',
      { class: 'part' },
      h('h3', { id: 'transcript-title' }, 'Transcript'),
      h(
        'div',
        { id: 'transcript', class: 'transcript', tabindex: 0, role: 'group', 'aria-labelledby': 'transcript-title' },
        transcriptOf(view),
      ),
    ),
    person(view.clip),
    view.clip.note && section('Contributor’s note', quoted(view.clip.note)),
    section('Review', review(view.clip)),
    section(
      'Download and share',
      h('p', { id: 'files', class: 'buttons' }, files(view.clip)),
      h('p', { class: 'hint' }, 'Anyone with the link to this clip can see the whole dashboard.'),
    ),
  ),
];

const section = (title: string, ...rest: ComponentChildren[]): ComponentChildren =>
  h('section', { class: 'part' }, h('h3', null, title), rest);

const quoted = (text: string): ComponentChildren =>
  h('p', { class: 'text', dir: 'auto' }, marked(text, searchedWords()));

function person(clip: Clip): ComponentChildren {
  const facts = personFacts(clip).map(([name, value]) => h('p', { key: name }, `${name}: `, h('bdi', null, value)));
  return facts.length > 0 && section('Recipient', facts);
}

/** Returns links to the other answers of the clip's response. */
function answerLinks({ clip, answers, onAnswer }: ClipView): ComponentChildren {
  const link = (answer: Clip) =>
    h(
      'a',
      {
        key: answer.submissionId,
        href: `#clip-${answer.submissionId}`,
        'aria-label': `Question ${titleOf(answer)}`,
        title: answer.questionText ?? undefined,
        'aria-current': answer.submissionId === clip.submissionId ? 'true' : undefined,
        onClick: (event: MouseEvent) => {
          event.preventDefault();
          onAnswer(`#clip-${answer.submissionId}`);
        },
      },
      String((answer.questionIndex ?? 0) + 1),
    );
  return h(
    'nav',
    { id: 'answers', class: 'answers', 'aria-label': 'This contributor’s answers', hidden: answers.length < 2 },
    answers.length > 1 && ['Answers: ', answers.map(link)],
  );
}

function states(clip: Clip): ComponentChildren {
  const items = mediaStates(clip).map(({ kind, long }) => h('li', { class: kind }, long));
  return items.length > 0 && h('ul', { class: 'long-states' }, items);
}

function transcriptOf({ clip, transcript }: ClipView): ComponentChildren {
  if (transcript && transcript !== 'failed') {
    const { Cues, ...captioned } = transcript;
    return h(Cues, { captioned, words: searchedWords() });
  }
  return [
    transcript === 'failed' &&
      h('p', { class: 'hint' }, 'The timestamps could not be loaded. This is the text without them.'),
    transcriptStates(clip).map(({ kind, long }) => h('p', { class: kind }, long)),
    clip.transcriptText && quoted(clip.transcriptText),
    clip.transcriptStatus === 'failed' &&
      mayWrite() &&
      h(
        'p',
        null,
        h('button', { type: 'button', class: 'small', 'data-again-for': clip.submissionId }, 'Try transcribing again'),
      ),
  ];
}

const review = (clip: Clip): ComponentChildren => [
  h(
    'div',
    { id: 'review-box', class: 'part', 'data-id': clip.submissionId },
    mayWrite()
      ? [selectButton(clip), noteForm(clip)]
      : [h('p', null, clip.selected ? '★ Selected' : 'Not selected'), clip.reviewNote && quoted(clip.reviewNote)],
  ),
  h(
    'button',
    { id: 'review-this', type: 'button', class: 'small', hidden: mayWrite(), onClick: askForToken },
    'Review this clip',
  ),
];

const selectButton = ({ selected }: Clip): ComponentChildren =>
  h(
    'button',
    { type: 'button', class: 'select-big', 'data-select': '', 'aria-pressed': String(selected) },
    h('span', { 'aria-hidden': 'true' }, selected ? '★ ' : '☆ '),
    selected ? 'Selected' : 'Select this clip',
  );

const file = (href: string, name: string): ComponentChildren =>
  h('a', { class: 'button small', href, download: '' }, name);

const files = (clip: Clip): ComponentChildren => [
  file(`${pathOf(clip)}/video`, clip.fileSize === null ? 'Video' : `Video, ${size(clip.fileSize)}`),
  clip.audioUrl && file(`${pathOf(clip)}/audio`, 'Audio'),
  clip.transcriptStatus === 'completed' && [
    file(`${pathOf(clip)}/transcript.txt`, 'Transcript'),
    file(`${pathOf(clip)}/transcript.vtt`, 'Captions, VTT'),
    file(`${pathOf(clip)}/transcript.srt`, 'Captions, SRT'),
  ],
  h(
    'button',
    {
      id: 'copy-clip',
      type: 'button',
      class: 'small',
      onClick: (event: MouseEvent) => void copyFrom(event.currentTarget as HTMLElement, location.href),
    },
    'Copy link to this clip',
  ),
];
