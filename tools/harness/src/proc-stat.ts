/** A process as /proc/<pid>/stat shows it. */
export interface ProcessTimes {
  pid: number;
  parent: number;
  /** CPU time in ticks, of all threads and of the children that were waited for. */
  ticks: number;
}

/** The machine's CPU time in ticks, summed over its cores, as the first line of /proc/stat shows it. */
export interface MachineTimes {
  all: number;
  /** Of processes, the kernel's work for them included. */
  busy: number;
  stolen: number;
}

/** Parses /proc/<pid>/stat. The name of the command, in parentheses, may itself have any of its separators. */
export function parseProcess(text: string): ProcessTimes {
  const at = fieldsOf(text);
  return { pid: Number.parseInt(text, 10), parent: at(4), ticks: at(14) + at(15) + at(16) + at(17) };
}

/** Returns when the process of a /proc/<pid>/stat began, in ticks since the machine did. */
export const startOf = (text: string): number => fieldsOf(text)(22);

/** Returns what reads a field by its number in the manual. */
function fieldsOf(text: string): (field: number) => number {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return field => Number(fields[field - 3]);
}

/**
 * Parses /proc/stat. Interrupts are time of processes in a kernel that does not account for them apart: it shows no time for hardware
 * interrupts then.
 */
export function parseMachine(text: string): MachineTimes {
  const fields = text.slice(0, text.indexOf('\n')).split(/\s+/).slice(1).map(Number);
  // Guests' time is in user and nice already.
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, stolen = 0] = fields;
  return {
    all: user + nice + system + idle + iowait + irq + softirq + stolen,
    busy: user + nice + system + (irq === 0 ? softirq : 0),
    stolen,
  };
}

/** The ids of `roots` and of all that descend from them. */
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

/** The CPU time of `roots` and of all that descend from them, in ticks. */
export function ticksOf(processes: readonly ProcessTimes[], roots: Iterable<number>): number {
  const tree = descendants(processes, roots);
  return processes.reduce((sum, { pid, ticks }) => (tree.has(pid) ? sum + ticks : sum), 0);
}
