import type { End } from '../state/events.ts';
import type { Answer } from '../state/state.ts';
import type { TakeRecord } from '../state/take.ts';

// The rules of an upload that grows: which request is next, how large it is, how long to wait after one that failed.

const SMALLEST = 64 * 1024;
const LARGEST = 4 * 1024 * 1024;
export const FIRST_PIECE = 512 * 1024;
const FAST_MS = 1_500;
const SLOW_MS = 6_000;
const LONGEST_WAIT_MS = 15_000;
const LONGEST_ASKED_MS = 60_000;
const ODD_TRIES = 4;

export interface Known {
  /** How far the server is; undefined where it is to be asked. */
  offset: number | undefined;
  /** Bytes of the whole, as the server was told, which is whether the take counts as sent; undefined until then. */
  length: number | undefined;
  /** Bytes of the take so far. */
  size: number;
}

export type Next = 'create' | 'find' | 'declare' | 'send' | 'rest' | 'look' | 'short';

/**
 * The length is declared first, without bytes: what the contributor has sent counts as sent from then on. `short`: the
 * server has all that this device has, which is less than that, as a full device keeps only the beginning of a take.
 */
export function nextRequest({ uploadUrl, sent }: Pick<TakeRecord, 'uploadUrl' | 'sent'>, known: Known): Next {
  if (uploadUrl === null) return 'create';
  if (known.offset === undefined) return 'find';
  if (sent && known.length === undefined) return 'declare';
  if (known.offset < known.size) return 'send';
  if (known.length === undefined) return 'rest';
  return known.offset < known.length ? 'short' : 'look';
}

/** Bytes of the next request, by how long a whole one took. */
export function nextPiece(piece: number, tookMs: number, whole: boolean): number {
  if (tookMs < FAST_MS && whole) return Math.min(LARGEST, piece * 2);
  return tookMs > SLOW_MS ? smallerPiece(piece) : piece;
}

/** Bytes a second, by the last requests, of which the latest counts most. */
export function paceAfter(before: number | undefined, bytes: number, tookMs: number): number {
  const now = (1_000 * bytes) / Math.max(1, tookMs);
  return before === undefined ? now : before + 0.3 * (now - before);
}

export const smallerPiece = (piece: number): number => Math.max(SMALLEST, piece / 2);

/**
 * Milliseconds until the next try, never less than the server asked for, up to a minute; `random`: 0 to 1, so that pages do not come
 * back together.
 */
export const retryDelayMs = (tries: number, random: number, askedMs = 0): number =>
  Math.min(LONGEST_WAIT_MS, 300 * 2 ** Math.min(tries, 8)) * (0.75 + random / 2) + Math.min(LONGEST_ASKED_MS, askedMs);

/** What became of an upload, by its response; undefined where that is not decided. */
export function endOf({ questionIndex, uploadUrl }: TakeRecord, answers: readonly Answer[]): End | undefined {
  const answer = answers.find(each => each.questionIndex === questionIndex);
  const id = uploadUrl?.split('/').pop();
  const mine = answer?.uploads.find(each => each.uploadId === id);
  if (mine?.state === 'landed') return { kind: mine.incomplete ? 'incomplete' : 'landed' };
  if (answer?.submissionId) return { kind: 'gone', code: 'answered' };
  return mine?.state === 'refused' ? { kind: 'refused', code: mine.errorCode } : undefined;
}

/**
 * What a refusal that is not transient means: its end; `deleted`, as its hold has ended; `gone` or `refused`, for which the
 * response has the code; undefined: try again.
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
