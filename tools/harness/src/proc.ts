import { readFileSync, writeFileSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';

/** Reads `/proc/<pid>/<file>`; returns "" once the process is gone. */
const read = (pid: number, file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');

export const processIds = async (): Promise<number[]> =>
  (await readdir('/proc').catch(() => [])).filter(name => /^\d+$/.test(name)).map(Number);

/** Returns the ids of a process's children. */
export async function childrenOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(tasks.map(task => read(pid, `task/${task}/children`)));
  return lists.flatMap(list => list.split(' ').filter(Boolean).map(Number));
}

/** Returns a line of `/proc/<pid>/status` of the process, or of one of its threads; undefined once the process is gone. */
export const statusOf = async (pid: number, field: string, thread?: string): Promise<string | undefined> =>
  new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(await read(pid, thread ? `task/${thread}/status` : 'status'))?.[1];

/** Returns whether the process runs; a zombie does not. */
export const isAlive = async (pid: number): Promise<boolean> => /^[^Z]/.test((await statusOf(pid, 'State')) ?? '');

/**
 * Returns whether every thread of the process is stopped. SIGSTOP takes effect only after one thread, chosen by the
 * kernel, has run. Until then, the other threads continue.
 */
export async function hasStopped(pid: number): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`);
  const states = await Promise.all(threads.map(thread => statusOf(pid, 'State', thread)));
  return states.every(state => state === undefined || state.startsWith('T'));
}

/** Returns the name of a process's program, or "" when it is gone. */
export const nameOf = async (pid: number): Promise<string> => (await read(pid, 'comm')).trim();

/** Returns the command line, or "" when the process is gone. */
export const commandOf = (pid: number): Promise<string> => read(pid, 'cmdline');

/** Returns the lines of `/proc/<pid>/cgroup`, or "" when the process is gone. */
export const cgroupsOf = (pid: number): Promise<string> => read(pid, 'cgroup');

/** Returns the ids of all processes of this program whose command line contains `dir`, and of their descendants. */
export async function programsBelow(dir: string, program: string): Promise<number[]> {
  const isBelow = async (pid: number) =>
    (await nameOf(pid)) === program &&
    ((await commandOf(pid)).includes(dir) || (await readlink(`/proc/${pid}/cwd`).catch(() => '')).startsWith(dir));
  const ids = await processIds();
  const below = await Promise.all(ids.map(isBelow));
  return ids.filter((_, at) => below[at]);
}

/** Returns the open files of a process, such as `socket:[4711]`. */
export async function openFilesOf(pid: number): Promise<string[]> {
  const files = await readdir(`/proc/${pid}/fd`);
  // A file may close between the two calls.
  return Promise.all(files.map(file => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')));
}

/** Resets the peak of a process's resident memory to its present size. */
export const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

/** Returns the peak resident memory of a process since its last reset, in bytes. */
export const peakOf = (pid: number): number => bytesOf(pid, 'VmHWM');

/** Returns the resident memory of a process, in bytes. */
export const residentOf = (pid: number): number => bytesOf(pid, 'VmRSS');

function bytesOf(pid: number, field: string): number {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kilobytes === undefined) throw new Error(`/proc/${pid}/status has no ${field}`);
  return Number(kilobytes) * 1024;
}
