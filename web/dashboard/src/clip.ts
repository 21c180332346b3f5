import type { SubmissionJson } from '@recording-request/contract/resources/submission';

/** A clip as the page shows it: the times of its transcript come with the captions. */
export type Clip = Omit<SubmissionJson, 'transcriptVtt'>;

/** `warn`: somebody should look; `busy`: it goes on by itself; `calm`: a fact. */
export interface State {
  kind: 'warn' | 'busy' | 'calm';
  short: string;
  long: string;
}

const TRANSCRIPTS: Record<string, State> = {
  pending: { kind: 'busy', short: 'Transcript waiting', long: 'The transcript is waiting for its turn.' },
  processing: { kind: 'busy', short: 'Transcript being made', long: 'The transcript is being made.' },
  disabled: { kind: 'calm', short: '', long: 'Transcripts were off when this clip was sent.' },
  none: { kind: 'calm', short: 'No sound', long: 'This clip has no sound, so it has no transcript.' },
};

/** Everything about a clip that an owner should not have to guess. `short` is "" where it only matters up close. */
export const statesOf = (clip: Clip): State[] => [...mediaStates(clip), ...transcriptStates(clip)];

/** What is to be known of its picture and sound. */
export function mediaStates(clip: Clip): State[] {
  const states: State[] = [];
  if (clip.incomplete) {
    states.push({
      kind: 'warn',
      short: 'Incomplete',
      long: 'Incomplete: the connection broke off while this clip was sent. What arrived is here; its end is missing.',
    });
  }
  if (clip.mediaStatus === 'processing') {
    states.push({
      kind: 'busy',
      short: 'Being prepared',
      long: 'Picture and sound are being prepared. It plays already, but may not jump to every place yet.',
    });
  }
  if (clip.mediaStatus === 'failed') {
    states.push({
      kind: 'warn',
      short: 'Kept as it came',
      long: `This clip could not be prepared and is kept as it came${clip.mediaError ? `: ${clip.mediaError}` : '.'}`,
    });
  }
  return states;
}

/** Why there are no words of it, where there are none. */
export function transcriptStates({ transcriptStatus, transcriptText, transcriptError }: Clip): State[] {
  if (transcriptStatus === 'completed') {
    return transcriptText
      ? []
      : [{ kind: 'calm', short: 'No speech heard', long: 'No speech was heard in this clip.' }];
  }
  if (transcriptStatus === 'failed') {
    const long = `The transcript failed${transcriptError ? `: ${transcriptError}` : '.'}`;
    return [{ kind: 'warn', short: 'Transcript failed', long }];
  }
  const state = TRANSCRIPTS[transcriptStatus ?? 'none'];
  return state ? [state] : [];
}

/** Whether more is still to come by itself. */
export const isUnfinished = ({ mediaStatus, transcriptStatus }: Clip): boolean =>
  mediaStatus === 'processing' || transcriptStatus === 'pending' || transcriptStatus === 'processing';

/** A clip's own name on this page. */
export const titleOf = ({ questionIndex, questionText }: Pick<Clip, 'questionIndex' | 'questionText'>): string =>
  questionText ? `${(questionIndex ?? 0) + 1}. ${questionText}` : 'Clip';
