import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from './log.ts';

/** A running service. `stop` finishes what was begun, releases everything, and is bounded. */
export interface RunningService extends AsyncDisposable {
  stop(): Promise<void>;
}

export interface Stoppable {
  stop(): Promise<void>;
  /** Runs the work now instead of at its next turn. */
  wake(): void;
}

// For what follows the jobs of a worker: what they hold is released, connections are closed.
const CLOSING_SECONDS = 5;
/** Returns how long what was begun, such as the jobs of a worker, may go on during a stop that may take `stopGraceSeconds`, in milliseconds. */
export const jobGraceMs = (stopGraceSeconds: number): number => (stopGraceSeconds - CLOSING_SECONDS) * 1_000;

/** Runs `work` every `ms`, never twice at once; a failure is logged and the next turn tries again. */
export function every(ms: number, work: () => Promise<void>, options: { log: Logger; name: string }): Stoppable {
  let stopped = false;
  let woken = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  // What wakes it may be a request, whose trace, deadline and cancellation are none of the loop's.
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

/** Stops parts in the order given; one that fails does not keep the others from stopping. */
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
