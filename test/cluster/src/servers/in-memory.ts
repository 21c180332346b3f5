import { mkdir, mkdtemp, rm, statfs, symlink } from 'node:fs/promises';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 2 ** 30;

/**
 * Has the folders `names` of `dir` in memory until it is disposed of, where this computer has the room. MongoDB waits for its disk at every
 * write, and here the node's images, its pods' files and the store's objects are on that one, too.
 */
export async function inMemory(dir: string, names: readonly string[]): Promise<AsyncDisposable> {
  await using opening = new AsyncDisposableStack();
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  if (bavail * bsize >= ROOM_BYTES) {
    const memory = await mkdtemp(join(MEMORY, 'recording-request-k8s-'));
    opening.defer(() => rm(memory, { recursive: true, force: true }));
    await mkdir(dir, { recursive: true });
    for (const name of names) {
      await mkdir(join(memory, name));
      await symlink(join(memory, name), join(dir, name));
    }
  }
  return opening.move();
}
