import { readdir, readFile } from 'node:fs/promises';

// The kernel keeps the peak of each child, so that only its last moments are missed.
const SAMPLE_MS = 50;

/** Ids of a process's children. */
export async function childrenOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    tasks.map(task => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  );
  return lists.flatMap(list => list.split(' ').filter(Boolean).map(Number));
}

/** A line of `/proc/<pid>/status`, of the process or of one of its threads; undefined once it is gone. */
export async function statusOf(pid: number, field: string, thread?: string): Promise<string | undefined> {
  const task = thread ? `/task/${thread}` : '';
  const status = await readFile(`/proc/${pid}${task}/status`, 'utf8').catch(() => '');
  return new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(status)?.[1];
}

/**
 * Whether every thread of the process stands still. SIGSTOP takes effect once the thread that is chosen for it has run,
 * until which the others go on.
 */
export async function hasStopped(pid: number): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`);
  const states = await Promise.all(threads.map(thread => statusOf(pid, 'State', thread)));
  return states.every(state => state === undefined || state.startsWith('T'));
}

/** Looks at the most that each child of this process has had resident, again and again. */
export function watchMemory() {
  let peak = 0;
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    for (const pid of await childrenOf(process.pid))
      peak = Math.max(peak, Number.parseInt((await statusOf(pid, 'VmHWM')) ?? '0', 10) * 1024);
  };
  return {
    start: () => {
      timer = setInterval(() => void look(), SAMPLE_MS);
    },
    stop: () => clearInterval(timer),
    peakBytes: () => peak,
  };
}
