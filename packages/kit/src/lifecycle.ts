import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from './log.ts';

/** A running service. `stop` finishes running work and releases everything, within a time limit. */
export interface RunningService extends AsyncDisposable {
  stop(): Promise<void>;
}

export interface Stoppable {
  stop(): Promise<void>;
  /** Runs the work now instead of at its next turn. */
  wake(): void;
}

// The last seconds of a stop: a worker returns its unfinished jobs to the queue and closes its connections.
const CLOSING_SECONDS = 5;
/** Returns how long running jobs may continue during a stop of at most `stopGraceSeconds`, in milliseconds. */
export const jobGraceMs = (stopGraceSeconds: number): number => (stopGraceSeconds - CLOSING_SECONDS) * 1_000;

/** Runs `work` every `ms`, never twice at once. A failure is logged and retried at the next turn. */
export function every(ms: number, work: () => Promise<void>, options: { log: Logger; name: string }): Stoppable {
  let stopped = false;
  let woken = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  // A request may wake the loop. The request's trace, deadline and cancellation must not apply to the work.
  const outside = AsyncLocalStorage.snapshot();
  const turn = () => {
    if (running || stopped) {
      woken = true;
      return;
    }
    clearTimeout(timer);
    woken = false;
    running = outside(work)
      .catch(error => options.log.warn({ err: error, loop: options.name }, 'A background turn failed'))
      .finally(() => {
        running = undefined;
        if (stopped) return;
        if (woken) setImmediate(turn);
        else timer = setTimeout(turn, ms);
      });
  };
  turn();
  return {
    wake: turn,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Stops parts in the given order. If a part fails, the other parts are still stopped. */
export async function stopAll(parts: Array<() => Promise<unknown> | unknown>): Promise<void> {
  const errors: unknown[] = [];
  for (const part of parts) {
    try {
      await part();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'Some parts did not stop cleanly');
}
