import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { missing } from '../config.ts';
import type { Mirrored } from './journal.ts';
import { OWN_FOLDER } from './layout.ts';

/** Returns a file of the folder as it is now; undefined if it is missing. */
export async function describe(folder: string, path: string, sha256?: string): Promise<Mirrored | undefined> {
  const stats = await stat(join(folder, path)).catch(missing);
  if (!stats?.isFile()) return undefined;
  const hash = sha256 ?? (await hashOf(join(folder, path)));
  return { path, size: stats.size, mtimeMs: stats.mtimeMs, sha256: hash };
}

/** Returns whether a file is as it was recorded: by its size and time, with `isDeep` also by its bytes. */
export async function isIntact(folder: string, file: Mirrored, isDeep = false): Promise<boolean> {
  const stats = await stat(join(folder, file.path)).catch(missing);
  if (!stats?.isFile() || stats.size !== file.size) return false;
  if (stats.mtimeMs === file.mtimeMs && !isDeep) return true;
  return (await hashOf(join(folder, file.path))) === file.sha256;
}

export async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(path)) hash.update(part as Buffer);
  return hash.digest('hex');
}

const TRIES = 5;

/** Moves a file within the folder, and removes the folder that it leaves empty. */
export async function move(folder: string, from: string, to: string): Promise<void> {
  if (from === to) return;
  for (let attempt = 1; ; attempt++) {
    await mkdir(dirname(join(folder, to)), { recursive: true });
    try {
      await rename(join(folder, from), join(folder, to));
      break;
    } catch (error) {
      // Another clip that left the new folder may have removed it just now.
      const isSource = await stat(join(folder, from)).catch(missing);
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || !isSource || attempt >= TRIES) throw error;
    }
  }
  await tidy(folder, from);
}

/** Removes a file, and the folder that it leaves empty. */
export async function remove(folder: string, path: string): Promise<void> {
  await rm(join(folder, path), { force: true });
  await tidy(folder, path);
}

async function tidy(folder: string, path: string): Promise<void> {
  if (!path.includes('/') || path.startsWith(`${OWN_FOLDER}/`)) return;
  await rmdir(dirname(join(folder, path))).catch((error: NodeJS.ErrnoException) => {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(error.code ?? '')) throw error;
  });
}
