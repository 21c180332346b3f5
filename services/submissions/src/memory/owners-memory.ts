import { DomainError } from '@recording-request/kit/errors';
import { createFairSlots, QueueFullError } from '@recording-request/kit/fair-slots';

/** Runs `work` when `bytes` are free and its owner's turn has come. The signal ends only the wait, not the work. */
export type OwnersMemory = <T>(
  of: { ownerId: string; bytes: number; signal?: AbortSignal },
  work: () => Promise<T>,
) => Promise<T>;

const QUEUED = 4_000;

/**
 * Shares `limit` bytes of memory among owners. Work that needs more than `limit` gets the whole memory for itself.
 * Fails with `too_many` when too many wait.
 */
export function createOwnersMemory(limit: number): OwnersMemory {
  const memory = createFairSlots(Math.max(1, Math.floor(limit)), { queued: QUEUED });
  const never = new AbortController().signal;
  return async ({ ownerId, bytes, signal = never }, work) => {
    using _held = await memory.take([ownerId], signal, bytes).catch(error => {
      if (!(error instanceof QueueFullError)) throw error;
      throw new DomainError('too_many', 'Others are served first; try again later.', { cause: error });
    });
    return await work();
  };
}
