import { setTimeout as delay } from 'node:timers/promises';
import type { Child } from './child-process.ts';

/** The condition was not met in time. */
export class NotReadyError extends Error {
  override name = 'NotReadyError';
}

/**
 * Polls `check` until it resolves to a defined value, and resolves to this value. A check that throws counts as "not
 * yet". Each check gets a signal that fires after `checkMs` milliseconds. Rejects with NotReadyError after `timeoutMs`
 * milliseconds, or at once when `child` has ended; the error includes the end of the child's log. Rejects with the
 * reason of `signal` when `signal` fires.
 */
export async function waitFor<T>(
  what: string,
  check: (signal: AbortSignal) => Promise<T | undefined>,
  options: { timeoutMs: number; checkMs?: number; intervalMs?: number; child?: Child; signal?: AbortSignal },
): Promise<T> {
  const { timeoutMs, checkMs = 2_000, intervalMs = 50, child, signal } = options;
  const end = Date.now() + timeoutMs;
  let last: unknown;
  while (true) {
    signal?.throwIfAborted();
    const limit = AbortSignal.timeout(checkMs);
    try {
      const found = await check(signal ? AbortSignal.any([signal, limit]) : limit);
      if (found !== undefined) return found;
    } catch (error) {
      last = error;
    }
    signal?.throwIfAborted();
    if (child?.exit) throw await notReady(`${what} ended (${words(child.exit)}) before it was ready`, last, child);
    if (Date.now() > end) throw await notReady(`${what} was not ready within ${timeoutMs / 1000} s`, last, child);
    // Throws the signal's own reason, so that the caller knows why the wait ended.
    await delay(intervalMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}

/** Returns "exit code 1" or "SIGKILL". */
export function words(exit: { code: number | null; signal: string | null }): string {
  return exit.signal ?? `exit code ${exit.code}`;
}

async function notReady(sentence: string, last: unknown, child: Child | undefined): Promise<NotReadyError> {
  const why = last instanceof Error ? ` (last: ${last.message})` : '';
  const tail = child ? await child.logTail() : '';
  return new NotReadyError(`${sentence}${why}.${tail ? `\nThe end of ${child?.logFile}:\n${tail}` : ''}`, {
    cause: last,
  });
}
