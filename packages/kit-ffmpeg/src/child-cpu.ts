import { readFileSync } from 'node:fs';

// USER_HZ of every architecture that Node runs on.
const TICKS_PER_SECOND = 100;
// The numbers of fields in proc_pid_stat(5): the first field after the name, cutime, and cstime. The name is in
// parentheses and may contain spaces.
const FIRST_FIELD = 3;
const CHILDREN_USER = 16;
const CHILDREN_SYSTEM = 17;

/** Returns the CPU seconds of all ended children from a line of /proc/PID/stat. */
export function childSecondsIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = (field: number) => Number(fields[field - FIRST_FIELD]);
  return (ticks(CHILDREN_USER) + ticks(CHILDREN_SYSTEM)) / TICKS_PER_SECOND;
}

let counted: number | undefined;
let running = 0;

/** Undefined on a system without /proc. */
function endedSeconds(): number | undefined {
  try {
    return childSecondsIn(readFileSync('/proc/self/stat', 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Starts to meter a child that is about to start. Call the returned function once, when the child has ended: it returns
 * the CPU seconds of the child and its threads, in steps of 10 ms.
 *
 * Node does not report a child's CPU seconds. The system adds them to a total of all ended children of this process, so
 * the returned function computes the growth of this total. If several children end at once, the first call gets the
 * seconds of all, so the sum is right. The seconds of an unmetered child count for a metered child that runs at the
 * same time.
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
