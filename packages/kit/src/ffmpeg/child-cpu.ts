import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

// USER_HZ of every architecture that Node runs on.
const TICKS_PER_SECOND = 100;
// Behind the name, which is in brackets and may have spaces: cutime and cstime of proc_pid_stat(5).
const FIRST_FIELD = 3;
const CHILDREN_USER = 16;
const CHILDREN_SYSTEM = 17;

/** Returns the CPU seconds in a line of /proc/PID/stat, of all children that have ended and were awaited. */
export function childSecondsIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = (field: number) => Number(fields[field - FIRST_FIELD]);
  return (ticks(CHILDREN_USER) + ticks(CHILDREN_SYSTEM)) / TICKS_PER_SECOND;
}

let counted: number | undefined;
let running = 0;

/** Undefined where the system does not tell. */
function endedSeconds(): number | undefined {
  try {
    return childSecondsIn(readFileSync('/proc/self/stat', 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Calls `onEnd` when the child has ended, however it did, with the CPU seconds that it took, its threads included: Node does not tell them,
 * and once a child is awaited the system has added them to those of this process's children. So what that sum grew by is the child's;
 * where several are awaited in the same moment, the first has it all, and the sum of all is right. In steps of 10 ms. A child that is
 * not metered is counted with one that runs beside it, and with none that begins later.
 */
export function meterCpu(child: ChildProcess, onEnd: (seconds: number | undefined) => void): void {
  if (running === 0) counted = endedSeconds();
  running += 1;
  child.once('exit', () => {
    running -= 1;
    const now = endedSeconds();
    onEnd(now === undefined || counted === undefined ? undefined : Math.round((now - counted) * 100) / 100);
    counted = now;
  });
}
