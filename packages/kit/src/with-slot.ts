import { DomainError } from './errors.ts';
import { type FairSlots, QueueFullError } from './fair-slots.ts';

const RETRY_AFTER_SECONDS = 2;

/**
 * Runs `work` when a slot is free for this owner. Rejects with `unavailable` if too many callers wait, and with the
 * signal's reason.
 */
export async function withSlot<T>(
  slots: FairSlots,
  owner: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  using _slot = await slots.take([owner], signal).catch(error => {
    if (!(error instanceof QueueFullError)) throw error;
    const sentence = 'Too many requests of this kind are waiting; try again in a moment.';
    throw new DomainError('unavailable', sentence, { cause: error, retryAfterSec: RETRY_AFTER_SECONDS });
  });
  return await work();
}
