import { readdir, readFile, readlink, writeFile } from 'node:fs/promises';

/** Forgets how much memory a process held at most; from now on its peak counts from here. Linux, of one's own processes. */
export async function forgetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}

/** The most memory (resident set, bytes) that a process held since `forgetPeak`, and what it holds now. */
export async function memoryOf(pid: number): Promise<{ peak: number; now: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)![1]) * 1024;
  return { peak: bytes('VmHWM'), now: bytes('VmRSS') };
}

/** Bytes that a process has read so far, from sockets and pipes as well as from files. */
export async function bytesRead(pid: number): Promise<number> {
  return Number(/^rchar: (\d+)$/m.exec(await readFile(`/proc/${pid}/io`, 'utf8'))![1]);
}

/** Bytes that have come for a process on its IPv4 TCP connections and that it has not read: what waits for a slow client. */
export async function bytesWaiting(pid: number): Promise<number> {
  const inodes = new Set<string>();
  for (const fd of await readdir(`/proc/${pid}/fd`)) {
    // One may close between the two.
    const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '');
    const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
    if (inode) inodes.add(inode);
  }
  const ESTABLISHED = '01';
  let waiting = 0;
  for (const line of (await readFile(`/proc/${pid}/net/tcp`, 'utf8')).trim().split('\n').slice(1)) {
    const [, , , state, queues, , , , , inode] = line.trim().split(/\s+/);
    if (state === ESTABLISHED && inodes.has(inode!)) waiting += Number.parseInt(queues!.split(':')[1]!, 16);
  }
  return waiting;
}
