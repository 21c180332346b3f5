import type { RecipientLinkJson, SharedRecipientLinkJson } from '@recording-request/contract/resources/link';
import type { SubmissionJson } from '@recording-request/contract/resources/submission';

// States, sizes and times as people say them.

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

const LINK_STATES: Record<RecipientLinkJson['status'], string> = {
  active: 'Not opened yet',
  exhausted: 'Clip received',
  expired: 'Expired',
  disabled: 'Closed',
};

/** What became of a personal link. */
export function linkState(link: RecipientLinkJson): string {
  if (link.status !== 'active') return LINK_STATES[link.status];
  if (link.remainingUses === 0) return 'Recording now';
  return link.openedAt ? 'Opened, nothing sent yet' : LINK_STATES.active;
}

export function sharedLinkState(link: SharedRecipientLinkJson): string {
  const left = `${link.remainingUses} of ${link.maxUses} uses left`;
  if (link.status === 'active') return link.remainingUses > 0 ? `Open: ${left}` : 'Full: every use is taken';
  return { exhausted: 'Used up', expired: `Expired with ${left}`, disabled: `Closed with ${left}` }[link.status];
}

/** `90` → `1 minute 30 seconds`, for who hears the page. */
export function spokenLength(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = Math.round(seconds % 60);
  return [minutes > 0 && count(minutes, 'minute'), (rest > 0 || minutes === 0) && count(rest, 'second')]
    .filter(Boolean)
    .join(' ');
}

/** `1` → `1 clip`, `2` → `2 clips`. */
export const count = (number: number, thing: string): string =>
  `${number.toLocaleString('en')} ${thing}${number === 1 ? '' : 's'}`;

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** Decimal, as browsers tell the size of a download. */
export function size(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 999.5 && unit < UNITS.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}

/** A clip's own name on this page. */
export const titleOf = ({ questionIndex, questionText }: Pick<Clip, 'questionIndex' | 'questionText'>): string =>
  questionText ? `${(questionIndex ?? 0) + 1}. ${questionText}` : 'Clip';
