import { execFile } from 'node:child_process';
import { mkdir, open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Mounts an in-memory file system of `bytes` bytes. Returns the reason if it is not permitted. */
export async function mountSmall(
  path: string,
  bytes: number,
  stack: AsyncDisposableStack,
): Promise<string | undefined> {
  await mkdir(path, { recursive: true });
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path]);
  } catch (error) {
    return `the mount of a small file system is not permitted here (${(error as Error).message.trim().split('\n').at(-1)})`;
  }
  stack.defer(async () => void (await run('umount', ['-l', path]).catch(() => {})));
  return undefined;
}

/** Fills the file system of `dir`, leaving `butBytes` bytes free. */
export async function fill(dir: string, butBytes: number): Promise<void> {
  await using file = await open(join(dir, 'ballast'), 'a');
  const chunk = Buffer.alloc(64 * 1024, 1);
  for (;;) {
    const { bavail, bsize } = await statfs(dir);
    const left = bavail * bsize - butBytes;
    if (left <= 0) return;
    const full = await file.write(chunk.subarray(0, Math.min(chunk.length, left))).catch(() => undefined);
    if (!full) return;
  }
}

/** Frees the space that `fill` used. */
export const clear = (dir: string) => rm(join(dir, 'ballast'), { force: true });
