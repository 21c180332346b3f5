import { backoffMs } from '@recording-request/kit/bounds';
import { DomainError } from '@recording-request/kit/errors';
import { isOutage } from '@recording-request/kit/outage';

/** Thrown by a handler for a message that no retry can help: it is logged, kept in the dead letter topic, and skipped. */
export class PoisonError extends Error {}

/** How the handling of a message went until now. */
export interface Attempts {
  /** Those that count. */
  failed: number;
  /** Those in a row that something was away, which do not. */
  away: number;
  /** All that ended at the handler's own time limit: something stands still, or the message itself takes too long. */
  outOfTime?: number;
}

/** What follows a failure: another attempt, or the dead letters for a reason. */
export type NextStep = { afterMs: number } | { reason: string };

const REASON_LENGTH = 500;
// With limits of 20 seconds and more: half a day, longer than an outage that costs nothing but time.
const OUT_OF_TIME_MAX = 1_000;
const AWAY: string[] = ['unavailable', 'timeout'];

/** Returns what follows, and counts the failure in `attempts`. `outOfTime`: the handler's own time was up. */
export function afterFailure(
  error: unknown,
  attempts: Attempts,
  { maxAttempts, outOfTime }: { maxAttempts: number; outOfTime: boolean },
): NextStep {
  if (error instanceof PoisonError) return { reason: reasonOf(error) };
  if (outOfTime) attempts.outOfTime = (attempts.outOfTime ?? 0) + 1;
  if (attempts.outOfTime === OUT_OF_TIME_MAX)
    return { reason: `after ${OUT_OF_TIME_MAX} attempts that took longer than they may: ${reasonOf(error)}` };
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
