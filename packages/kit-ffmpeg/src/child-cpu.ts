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
 * Begins to meter a child that is about to start. The returned function is called once, when the child has ended, and returns the CPU
 * seconds that it used, its threads included, in steps of 10 ms. Node does not report them; the system adds those of an ended child
 * to the sum of this process's children. So the growth of that sum is the child's. Of several that end in the same moment the first
 * gets all, and the sum of all is right. A child that is not metered is counted with one that runs beside it.
 */
export function meterCpu(): () => number | undefined {
  if (running === 0) counted = endedSeconds();
  running += 1;
  return () => {
    running -= 1;
    const now = endedSeconds();
    const seconds = now === undefined || counted === undefined ? undefined : Math.round((now - counted) * 100) / 100;
    counted = now;
    return seconds;
  };
}
