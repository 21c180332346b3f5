/** How an attempt at the provider ended without a transcript. */
export type Failure =
  | { kind: 'status'; status: number; retryAfterMs: number | undefined }
  | { kind: 'unreachable' }
  | { kind: 'timeout' }
  | { kind: 'unusable' };

/** The next step: another attempt after a wait, or a failure with a sentence for the owner. */
export type Step = { waitMs: number } | { reason: string };

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/**
 * Decides what follows a failed attempt. `attempts` counts those made, `leftMs` is the rest of the job's time. A provider
 * that is busy, broken, silent or unreachable is asked again, after longer and longer waits and not before its
 * `Retry-After`. What it refuses, it would refuse again.
 */
export function afterFailure(
  failure: Failure,
  { attempts, maxAttempts, leftMs }: { attempts: number; maxAttempts: number; leftMs: number },
): Step {
  const reason = reasonOf(failure);
  if (failure.kind === 'status' && !isPassing(failure.status)) return { reason };
  if (attempts >= maxAttempts) return { reason };
  const backoffMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1));
  const waitMs = Math.max(backoffMs, (failure.kind === 'status' && failure.retryAfterMs) || 0);
  return waitMs < leftMs ? { waitMs } : { reason };
}

const isPassing = (status: number) => status === 408 || status === 409 || status === 429 || status >= 500;

/** Returns a sentence that quotes neither the provider nor our credentials. */
function reasonOf(failure: Failure): string {
  if (failure.kind === 'unusable')
    return 'The speech-to-text service gave no usable answer; ask for the transcript again.';
  if (failure.kind !== 'status') return NO_ANSWER;
  if (failure.status === 401 || failure.status === 403)
    return 'The speech-to-text service does not accept the credentials that it was given; the operator has to set them right.';
  if (failure.status === 429) return 'The speech-to-text service is too busy; ask for the transcript again later.';
  return isPassing(failure.status) ? NO_ANSWER : 'The speech-to-text service refused this audio.';
}

const NO_ANSWER = 'The speech-to-text service did not answer; ask for the transcript again later.';

/** Returns the milliseconds until a Retry-After header's time: seconds or an HTTP date; undefined when it is neither. */
export function retryAfterMs(header: string | null | undefined, nowMs: number): number | undefined {
  if (!header) return undefined;
  if (/^\d+(\.\d+)?$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
