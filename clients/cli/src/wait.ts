import { setTimeout } from 'node:timers/promises';

// A timer with more milliseconds ends at once.
const LONGEST_MS = 2 ** 31 - 1;

/** Waits, at most 24.8 days. Throws the reason of the signal if it aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(Math.min(ms, LONGEST_MS), undefined, { signal }).catch(() => {
    throw signal.reason;
  });
}
