import { readFileSync } from 'node:fs';

// USER_HZ of every architecture that Node runs on.
const TICKS_PER_SECOND = 100;
// The numbers of fields in proc_pid_stat(5): the first field after the name, utime, stime, cutime, and cstime. The name
// is in parentheses and may contain spaces.
const FIRST_FIELD = 3;
const OWN = [14, 15];
const CHILDREN = [16, 17];

/** Returns the CPU seconds of a process and of its ended children from a line of /proc/PID/stat. */
export function cpuSecondsIn(stat: string): { own: number; children: number } {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const seconds = (numbers: number[]) =>
    numbers.reduce((sum, field) => sum + Number(fields[field - FIRST_FIELD]), 0) / TICKS_PER_SECOND;
  return { own: seconds(OWN), children: seconds(CHILDREN) };
}

/** Returns undefined for an ended process, and on a system without /proc. */
function cpuSecondsOf(process: number | 'self'): { own: number; children: number } | undefined {
  try {
    return cpuSecondsIn(readFileSync(`/proc/${process}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Returns the CPU seconds that a running process, its threads and its ended children have used so far; undefined if the
 * system does not report them.
 */
export function usedSeconds(pid: number): number | undefined {
  const seconds = cpuSecondsOf(pid);
  return seconds && seconds.own + seconds.children;
}

let counted: number | undefined;
let running = 0;

const endedSeconds = () => cpuSecondsOf('self')?.children;

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
