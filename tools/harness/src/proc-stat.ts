/** A process as /proc/<pid>/stat shows it. */
export interface ProcessTimes {
  pid: number;
  parent: number;
  /** The CPU time in ticks of all threads and of the children that it waited for. */
  ticks: number;
}

/** The machine's CPU time in ticks, summed over its cores, as the first line of /proc/stat shows it. */
export interface MachineTimes {
  all: number;
  /** The time of processes, including the kernel's work for them. */
  busy: number;
  stolen: number;
}

/** Parses /proc/<pid>/stat. The command's name is in parentheses and may itself contain separators. */
export function parseProcess(text: string): ProcessTimes {
  const at = fieldsOf(text);
  return { pid: Number.parseInt(text, 10), parent: at(4), ticks: at(14) + at(15) + at(16) + at(17) };
}

/** Returns the start of a process from /proc/<pid>/stat, in ticks since the machine's start. */
export const startOf = (text: string): number => fieldsOf(text)(22);

/** Returns a function that reads a field by its number in the manual page of /proc. */
function fieldsOf(text: string): (field: number) => number {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return field => Number(fields[field - 3]);
}

/**
 * Parses /proc/stat. A kernel without separate interrupt accounting shows no time for hardware interrupts and counts it
 * as time of processes.
 */
export function parseMachine(text: string): MachineTimes {
  const fields = text.slice(0, text.indexOf('\n')).split(/\s+/).slice(1).map(Number);
  // `user` and `nice` already include guests' time.
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, stolen = 0] = fields;
  return {
    all: user + nice + system + idle + iowait + irq + softirq + stolen,
    busy: user + nice + system + (irq === 0 ? softirq : 0),
    stolen,
  };
}

/** Returns the ids of `roots` and of all their descendants. */
export function descendants(processes: readonly ProcessTimes[], roots: Iterable<number>): Set<number> {
  const children = Map.groupBy(processes, ({ parent }) => parent);
  const found = new Set<number>();
  const open = [...roots];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    if (found.has(pid)) continue;
    found.add(pid);
    for (const child of children.get(pid) ?? []) open.push(child.pid);
  }
  return found;
}

/** Returns the CPU time of `roots` and of all their descendants, in ticks. */
export function ticksOf(processes: readonly ProcessTimes[], roots: Iterable<number>): number {
  const tree = descendants(processes, roots);
  return processes.reduce((sum, { pid, ticks }) => (tree.has(pid) ? sum + ticks : sum), 0);
}
