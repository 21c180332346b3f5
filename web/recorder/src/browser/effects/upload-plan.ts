import type { End } from '../state/events.ts';
import type { Answer } from '../state/state.ts';
import type { TakeRecord } from '../state/take.ts';

// The rules of a growing upload: the next request, its size, and the wait after a failure.

const SMALLEST = 64 * 1024;
const LARGEST = 4 * 1024 * 1024;
export const FIRST_PIECE = 512 * 1024;
const FAST_MS = 1_500;
const SLOW_MS = 6_000;
const LONGEST_WAIT_MS = 15_000;
const LONGEST_ASKED_MS = 60_000;
const ODD_TRIES = 4;

export interface Known {
  /** The server's offset; undefined when it must be requested. */
  offset: number | undefined;
  /** The declared total bytes; undefined until they are declared. A declared take counts as sent. */
  length: number | undefined;
  /** The bytes of the take so far. */
  size: number;
}

export type Next = 'create' | 'find' | 'declare' | 'send' | 'rest' | 'look' | 'short';

/**
 * Returns the next request. The request that declares the length has no bytes; from then on the take counts as sent.
 * `short`: the server has all bytes that this device has, but the take had more, because a full device stores only the
 * beginning of a take.
 */
export function nextRequest({ uploadUrl, sent }: Pick<TakeRecord, 'uploadUrl' | 'sent'>, known: Known): Next {
  if (uploadUrl === null) return 'create';
  if (known.offset === undefined) return 'find';
  if (sent && known.length === undefined) return 'declare';
  if (known.offset < known.size) return 'send';
  if (known.length === undefined) return 'rest';
  return known.offset < known.length ? 'short' : 'look';
}

/** Returns the number of bytes of the next request, based on the duration of a full request. */
export function nextPiece(piece: number, tookMs: number, whole: boolean): number {
  if (tookMs < FAST_MS && whole) return Math.min(LARGEST, piece * 2);
  return tookMs > SLOW_MS ? smallerPiece(piece) : piece;
}

/** Returns the bytes per second, weighted toward the latest request. */
export function paceAfter(before: number | undefined, bytes: number, tookMs: number): number {
  const now = (1_000 * bytes) / Math.max(1, tookMs);
  return before === undefined ? now : before + 0.3 * (now - before);
}

export const smallerPiece = (piece: number): number => Math.max(SMALLEST, piece / 2);

/**
 * Returns the milliseconds until the retry: a growing wait, plus the wait that the server requests, up to a minute.
 * `random` (0 to 1) spreads the retries of many pages.
 */
export const retryDelayMs = (tries: number, random: number, askedMs = 0): number =>
  Math.min(LONGEST_WAIT_MS, 300 * 2 ** Math.min(tries, 8)) * (0.75 + random / 2) + Math.min(LONGEST_ASKED_MS, askedMs);

/** Returns the end of an upload, as the answers of its response show it; undefined while the end is undecided. */
export function endOf({ questionIndex, uploadUrl }: TakeRecord, answers: readonly Answer[]): End | undefined {
  const answer = answers.find(each => each.questionIndex === questionIndex);
  const id = uploadUrl?.split('/').pop();
  const mine = answer?.uploads.find(each => each.uploadId === id);
  if (mine?.state === 'landed') return { kind: mine.incomplete ? 'incomplete' : 'landed' };
  if (answer?.submissionId) return { kind: 'gone', code: 'answered' };
  return mine?.state === 'refused' ? { kind: 'refused', code: mine.errorCode } : undefined;
}

/**
 * Returns the meaning of a permanent refusal. An `End` is the upload's end. `deleted`: the upload has expired. `gone`
 * or `refused`: the response has the code. Undefined means a retry.
 */
export function meaningOf(
  status: number,
  uploadUrl: string | null,
  tries: number,
): End | 'deleted' | 'gone' | 'refused' | undefined {
  if (status === 404 && uploadUrl !== null) return 'deleted';
  if (status === 410) return 'gone';
  if (status === 422) return 'refused';
  if (status === 413) return { kind: 'refused', code: 'too_large' };
  return tries < ODD_TRIES ? undefined : { kind: 'refused', code: null };
}
