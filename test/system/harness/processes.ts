import { readFile } from 'node:fs/promises';
import { openFilesOf } from '@recording-request/harness/proc';

/** Returns the bytes that a process has read so far, from sockets, pipes and files. */
export async function bytesRead(pid: number): Promise<number> {
  return Number(/^rchar: (\d+)$/m.exec(await readFile(`/proc/${pid}/io`, 'utf8'))![1]);
}

/**
 * Returns the number of bytes in the receive queues of a process's IPv4 TCP connections. These bytes wait for a slow
 * client.
 */
export async function bytesWaiting(pid: number): Promise<number> {
  const inodes = new Set<string>();
  for (const file of await openFilesOf(pid)) {
    const inode = /^socket:\[(\d+)\]$/.exec(file)?.[1];
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
