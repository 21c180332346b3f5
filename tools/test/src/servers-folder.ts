import { mkdtempDisposable, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const PREFIX = 'recording-request-test-';
/** Three times what the servers of a whole run hold at most. */
const ROOM_BYTES = 4 * 2 ** 30;
/** What a whole run needs besides: the services, the browsers, and the servers themselves. */
const REST_BYTES = 8 * 2 ** 30;

export interface Places {
  /** A file system in memory. */
  memory: string;
  disk: string;
  /** How much memory this process may still take. */
  availableBytes: number;
}

/**
 * Makes a folder for the data of the test servers: in memory where there is room for it, so that a disk that stands
 * still for half a minute, as a shared one may, fails no test of something else. Removes what runs that were killed have left.
 */
export async function serversFolder(
  { memory, disk, availableBytes }: Places = {
    memory: MEMORY,
    disk: tmpdir(),
    availableBytes: process.availableMemory(),
  },
): Promise<Awaited<ReturnType<typeof mkdtempDisposable>>> {
  // On a disk they cost nothing that is missed, and another container may share it.
  await removeLeft(memory);
  const room = availableBytes >= ROOM_BYTES + REST_BYTES && (await freeBytes(memory)) >= ROOM_BYTES;
  return await mkdtempDisposable(join(room ? memory : disk, `${PREFIX}${process.pid}-`));
}

async function freeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

async function removeLeft(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const pid = name.startsWith(PREFIX) && /^(\d+)-/.exec(name.slice(PREFIX.length))?.[1];
    if (pid && !runs(Number(pid))) await rm(join(parent, name), { recursive: true, force: true });
  }
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It is another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
