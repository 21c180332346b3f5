import { mkdtempDisposable, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const PREFIX = 'recording-request-test-';
/** Three times the size of the servers' data after a whole run. */
const ROOM_BYTES = 4 * 2 ** 30;
/** The memory that a whole run needs for everything else: the services, the browsers, and the server processes. */
const REST_BYTES = 12 * 2 ** 30;

export interface Places {
  /** A file system in memory. */
  memory: string;
  disk: string;
  /** Returns how much more memory this process may use. */
  availableBytes: number;
}

/**
 * Creates a folder for the data of the test servers. It is in memory if there is room, because a shared disk may stall
 * for half a minute and fail an unrelated test. Removes the folders of killed runs.
 */
export async function serversFolder(
  { memory, disk, availableBytes }: Places = {
    memory: MEMORY,
    disk: tmpdir(),
    availableBytes: process.availableMemory(),
  },
): Promise<Awaited<ReturnType<typeof mkdtempDisposable>>> {
  // Removes only folders in memory. On a disk, such folders cost little, and another container may share the disk.
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
    // EPERM: the process still runs, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
