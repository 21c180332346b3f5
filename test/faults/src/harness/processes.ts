import { readdir, readFile, readlink } from 'node:fs/promises';

/** The ids of all processes of this program whose command line mentions `dir` or that run below it (Linux). */
export async function programsBelow(dir: string, program: string): Promise<number[]> {
  const found: number[] = [];
  for (const entry of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(entry)) continue;
    if ((await nameOf(Number(entry))) !== program) continue;
    const line = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '');
    const cwd = await readlink(`/proc/${entry}/cwd`).catch(() => '');
    if (line.includes(dir) || cwd.startsWith(dir)) found.push(Number(entry));
  }
  return found;
}

/** The ids of a process's running children (Linux). */
export async function childrenOf(pid: number): Promise<number[]> {
  const line = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return line.trim().split(/\s+/).filter(Boolean).map(Number);
}

/** Whether the process runs; a zombie does not. */
export async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return status !== '' && !/^State:\s+Z/m.test(status);
}

/** The name of the program that a process runs, or "" when it is gone. */
export async function nameOf(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim();
}
