import { readdir, readFile, readlink } from 'node:fs/promises';

/** The ids of all processes that run a program of this name and whose command line or folder is below `dir` (Linux). */
export async function programsBelow(dir: string, program: string): Promise<number[]> {
  const found: number[] = [];
  for (const entry of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(entry)) continue;
    const name = await readFile(`/proc/${entry}/comm`, 'utf8').catch(() => '');
    if (name.trim() !== program) continue;
    const line = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '');
    const cwd = await readlink(`/proc/${entry}/cwd`).catch(() => '');
    if (line.includes(dir) || cwd.startsWith(dir)) found.push(Number(entry));
  }
  return found;
}

/** The parent of a process, or undefined when it is gone. */
export async function parentOf(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const parent = /^PPid:\s+(\d+)/m.exec(status)?.[1];
  return parent === undefined ? undefined : Number(parent);
}
