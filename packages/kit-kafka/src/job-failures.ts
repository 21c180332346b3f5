import { backoffMs } from '@recording-request/kit/bounds';
import { DomainError } from '@recording-request/kit/errors';
import { isOutage } from '@recording-request/kit/outage';

/**
 * Thrown by a handler for a message that no retry can help. The consumer sends the message to the dead letter topic and
 * continues.
 */
export class PoisonError extends Error {}

/** Counts of a message's failed attempts. */
export interface Attempts {
  /** Failures that count toward the maximum. */
  failed: number;
  /** Consecutive outages, which do not count toward the maximum. */
  away: number;
  /** Attempts that reached the handler's time limit, because a server hangs or the message itself takes too long. */
  outOfTime?: number;
}

/** The step after a failure: a retry, or the dead letters. */
export type NextStep = { afterMs: number } | { reason: string };

const REASON_LENGTH = 500;
// With time limits of 20 seconds or more, this many attempts take half a day, longer than a usual outage.
const OUT_OF_TIME_MAX = 1_000;
const AWAY: string[] = ['unavailable', 'timeout'];

/**
 * Returns the next step, and counts the failure in `attempts`. `outOfTime` is true when the handler reached its time
 * limit.
 */
export function afterFailure(
  error: unknown,
  attempts: Attempts,
  { maxAttempts, outOfTime }: { maxAttempts: number; outOfTime: boolean },
): NextStep {
  if (error instanceof PoisonError) return { reason: reasonOf(error) };
  if (outOfTime) attempts.outOfTime = (attempts.outOfTime ?? 0) + 1;
  if (attempts.outOfTime === OUT_OF_TIME_MAX)
    return { reason: `after ${OUT_OF_TIME_MAX} attempts that exceeded the time limit: ${reasonOf(error)}` };
  if (outOfTime || isAway(error)) {
    attempts.away += 1;
    return { afterMs: backoffMs(attempts.away, 250, 30_000) };
  }
  attempts.away = 0;
  attempts.failed += 1;
  if (attempts.failed >= maxAttempts) return { reason: `after ${attempts.failed} attempts: ${reasonOf(error)}` };
  return { afterMs: backoffMs(attempts.failed, 500, 60_000) };
}

const isAway = (error: unknown): boolean =>
  error instanceof DomainError ? AWAY.includes(error.code) : isOutage(error);

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, REASON_LENGTH);
