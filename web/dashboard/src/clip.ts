import type { SubmissionJson } from '@recording-request/contract/resources/submission';

// The page stores only these fields, because the other fields are half of a clip's bytes.
const FIELDS = [
  'submissionId',
  'tokenId',
  'responseSessionId',
  'questionIndex',
  'questionText',
  'createdAt',
  'durationSec',
  'fileSize',
  'note',
  'reviewNote',
  'selected',
  'transcriptStatus',
  'transcriptText',
  'transcriptError',
  'thumbnailMiddleUrl',
  'audioUrl',
  'mediaStatus',
  'mediaError',
  'incomplete',
  'recipient',
  'late',
] as const satisfies (keyof SubmissionJson)[];

/** The clip fields that the page uses. */
export type Clip = Pick<SubmissionJson, (typeof FIELDS)[number]>;

/**
 * Returns the clip with only these fields. Keeps a link's id only for interviews, which need it to find the other
 * answers, because ids hardly compress.
 */
export function pickFields(received: Clip): Clip {
  const clip = Object.fromEntries(FIELDS.map(field => [field, received[field]])) as unknown as Clip;
  return clip.responseSessionId ? clip : { ...clip, tokenId: null };
}

/** `warn` needs attention; `busy` continues by itself; `calm` is a fact. */
export interface State {
  kind: 'warn' | 'busy' | 'calm';
  short: string;
  long: string;
}

const TRANSCRIPTS: Record<string, State> = {
  pending: { kind: 'busy', short: 'Transcript queued', long: 'The transcript is queued.' },
  processing: { kind: 'busy', short: 'Transcribing', long: 'This clip is being transcribed.' },
  disabled: { kind: 'calm', short: '', long: 'Transcription was off when this clip was sent.' },
  none: { kind: 'calm', short: 'No sound', long: 'This clip has no sound, so there is no transcript.' },
};

/**
 * Returns all states of a clip that an owner should see. `short` is "" for a state that only the clip's own view shows.
 */
export const statesOf = (clip: Clip): State[] => [...mediaStates(clip), ...transcriptStates(clip)];

/** Returns the states of the clip's picture and sound. */
export function mediaStates(clip: Clip): State[] {
  const states: State[] = [];
  if (clip.incomplete) {
    states.push({
      kind: 'warn',
      short: 'Incomplete',
      long: 'Incomplete: the connection was lost while this clip was being sent. The end is missing.',
    });
  }
  if (clip.late) states.push({ kind: 'calm', short: 'Late', long: 'This clip arrived after the deadline.' });
  if (clip.mediaStatus === 'processing') {
    states.push({
      kind: 'busy',
      short: 'Processing',
      long: 'This clip is still being processed. You can watch it now, but skipping ahead may not work yet.',
    });
  }
  if (clip.mediaStatus === 'failed') {
    states.push({
      kind: 'warn',
      short: 'Original only',
      long: `This clip could not be processed, so the original was kept${clip.mediaError ? `: ${clip.mediaError}` : '.'}`,
    });
  }
  return states;
}

/** Returns the reason for a missing transcript. */
export function transcriptStates({ transcriptStatus, transcriptText, transcriptError }: Clip): State[] {
  if (transcriptStatus === 'completed') {
    return transcriptText ? [] : [{ kind: 'calm', short: 'No speech', long: 'No speech was detected in this clip.' }];
  }
  if (transcriptStatus === 'failed') {
    const long = `Transcription failed${transcriptError ? `: ${transcriptError}` : '.'}`;
    return [{ kind: 'warn', short: 'Transcription failed', long }];
  }
  const state = TRANSCRIPTS[transcriptStatus ?? 'none'];
  return state ? [state] : [];
}

/** Returns whether processing continues. */
export const isUnfinished = ({ mediaStatus, transcriptStatus }: Clip): boolean =>
  mediaStatus === 'processing' || transcriptStatus === 'pending' || transcriptStatus === 'processing';

/** Returns a clip's name on this page. */
export const titleOf = ({ questionIndex, questionText }: Pick<Clip, 'questionIndex' | 'questionText'>): string =>
  questionText ? `${(questionIndex ?? 0) + 1}. ${questionText}` : 'Clip';

/** Returns the name of the clip's person, or else the reference; "" if the clip has neither. */
export const personOf = ({ recipient }: Pick<Clip, 'recipient'>): string =>
  recipient?.name || recipient?.reference || '';

/** Returns what is known about the clip's person. */
export function personFacts({ recipient }: Pick<Clip, 'recipient'>): [name: string, value: string][] {
  if (!recipient) return [];
  const reference = recipient.verified ? 'Reference' : 'Reference, as stated by the contributor';
  const facts: [string, string | null][] = [
    ['Name', recipient.name],
    [reference, recipient.reference],
    ['Email', recipient.email],
    ['Language', recipient.locale],
  ];
  return facts.filter((fact): fact is [string, string] => Boolean(fact[1]));
}
