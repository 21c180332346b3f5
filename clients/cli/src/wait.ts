import { setTimeout } from 'node:timers/promises';

/** Waits. Throws the reason of the signal if it aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => {
    throw signal.reason;
  });
}
