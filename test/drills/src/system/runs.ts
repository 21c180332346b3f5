import { readFileSync } from 'node:fs';

const LOOK_MS = 10;

/** Returns the ids of a process's children that run this program. Reads synchronously, because a run may last only 100 ms. */
export function runsOf(pid: number | undefined, program: string): number[] {
  return read(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .filter(Boolean)
    .map(Number)
    .filter(child => read(`/proc/${child}/comm`).trim() === program);
}

/** Sends a signal to a process. Returns false if the process has ended. */
export function signalTo(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Calls `act` with the current runs repeatedly, until `repair` is disposed of. */
export function onRuns(find: () => number[], act: (runs: number[]) => void, repair: AsyncDisposableStack): void {
  const timer = setInterval(() => act(find()), LOOK_MS);
  repair.defer(() => clearInterval(timer));
}

const PERIOD_MS = 500;

/**
 * Stops and continues the runs, so that each gets this share of a core. All runs continue when `repair` is disposed of.
 */
export function starve(find: () => number[], share: number, repair: AsyncDisposableStack): void {
  const stopped = new Set<number>();
  repair.defer(() => {
    for (const pid of stopped) signalTo(pid, 'SIGCONT');
  });
  onRuns(
    find,
    runs => {
      const runsNow = Date.now() % PERIOD_MS < share * PERIOD_MS;
      for (const pid of stopped) if (!runs.includes(pid)) stopped.delete(pid);
      for (const pid of runs) {
        if (runsNow === !stopped.has(pid)) continue;
        signalTo(pid, runsNow ? 'SIGCONT' : 'SIGSTOP');
        if (runsNow) stopped.delete(pid);
        else stopped.add(pid);
      }
    },
    repair,
  );
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended.
    return '';
  }
}
