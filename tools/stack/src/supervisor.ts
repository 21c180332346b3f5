import { setTimeout as delay } from 'node:timers/promises';
import { type Child, type Exit, startChild } from './child-process.ts';
import type { Log } from './log.ts';
import { NotReadyError, waitFor, words } from './wait.ts';

// Long, because a live process that waits for others has not failed. On a busy machine, its first start may take
// minutes.
const READY_MS = 5 * 60_000;
// The interval of progress lines. A longer silence would look like a hang.
const TICK_MS = 10_000;
const BACKOFF_FIRST_MS = 200;
const BACKOFF_MAX_MS = 10_000;
/** After a service has run for this time, its next restart uses the shortest delay again. */
const HEALTHY_MS = 30_000;

export interface SupervisedOptions {
  name: string;
  command: string;
  args: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  logFile: string;
  isReady: (signal: AbortSignal) => Promise<boolean>;
  /** True to restart the process when it ends. Otherwise, the supervisor only reports the end. */
  restart: boolean;
  log: Log;
  onExit?: (exit: Exit) => void;
  onRestart?: () => void;
  signal?: AbortSignal;
}

/** A process that the supervisor restarts when it ends. */
export interface Supervised {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Ends the process permanently, even during a restart: SIGTERM, then SIGKILL after `graceMs` milliseconds. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Starts a process. Resolves when the process is ready. On failure, ends the process and rejects with its name and the
 * end of its log.
 */
export async function supervise(options: SupervisedOptions): Promise<Supervised> {
  const { name, log } = options;
  const stopped = new AbortController();
  let child = await startReady(options, options.signal);

  let backoffMs = BACKOFF_FIRST_MS;
  const comeBack = async () => {
    while (true) {
      await delay(backoffMs, undefined, { signal: stopped.signal });
      backoffMs = Math.min(backoffMs * 2, BACKOFF_MAX_MS);
      try {
        // Sets `child` before the process is ready, so that `pid`, `kill` and `stop` already act on it.
        await startReady(options, stopped.signal, started => {
          child = started;
        });
        return;
      } catch (error) {
        stopped.signal.throwIfAborted();
        log(`${name} did not restart; retrying: ${error instanceof NotReadyError ? error.message : error}`);
      }
    }
  };
  const watch = async () => {
    while (true) {
      const readyAt = Date.now();
      const exit = await child.exited;
      // Does not restart the process during a stop.
      if (stopped.signal.aborted || options.signal?.aborted) return;
      log(`${name} ended (${words(exit)})${options.restart ? '; starting it again' : ''}`);
      options.onExit?.(exit);
      if (!options.restart) return;
      if (Date.now() - readyAt > HEALTHY_MS) backoffMs = BACKOFF_FIRST_MS;
      await comeBack();
      log(`${name} has restarted (pid ${child.pid})`);
      options.onRestart?.();
    }
  };
  // Ignores the rejection of a wait that `stop` aborted.
  const watching = watch().catch(error => {
    if (!stopped.signal.aborted) log(`${name} is no longer supervised: ${error}`);
  });

  return {
    get pid() {
      return child.pid;
    },
    kill: signal => child.kill(signal),
    stop: async graceMs => {
      stopped.abort();
      await Promise.all([child.stop(graceMs), watching]);
    },
  };
}

async function startReady(
  options: SupervisedOptions,
  signal?: AbortSignal,
  onStarted?: (child: Child) => void,
): Promise<Child> {
  const { name, isReady } = options;
  signal?.throwIfAborted();
  const child = await startChild(options);
  onStarted?.(child);
  const began = Date.now();
  const ticker = setInterval(
    () => options.log(`waiting for ${name} to be ready: ${Math.round((Date.now() - began) / 1000)} s`),
    TICK_MS,
  );
  try {
    const check = async (limit: AbortSignal) => ((await isReady(limit)) ? true : undefined);
    await waitFor(name, check, { timeoutMs: READY_MS, child, signal });
    return child;
  } catch (error) {
    // When the supervisor is stopping, the process gets time to end by itself; SIGKILL follows only if the process
    // hangs.
    await child.stop(signal?.aborted ? 5_000 : 0);
    throw error;
  } finally {
    clearInterval(ticker);
  }
}
