import { mkdir, mkdtemp, rm, statfs, symlink } from 'node:fs/promises';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 2 ** 30;

/**
 * Keeps the folders `names` of `dir` in memory until disposal, if this computer has enough memory. MongoDB waits for
 * its disk at every write. In the lab, it would share the disk with the node's images, the pods' files and the store's
 * objects.
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
