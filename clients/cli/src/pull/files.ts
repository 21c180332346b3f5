import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, mkdir, readdir, realpath, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { missing } from '../config.ts';
import { EXIT, Failure } from '../failures.ts';
import type { Mirrored } from './journal.ts';
import { OWN_FOLDER } from './layout.ts';

/**
 * Returns the absolute path of a file of the folder. Fails if the file is outside of the folder, even by a symbolic
 * link, because neither the server nor a record may choose such a file.
 */
export async function inside(folder: string, path: string): Promise<string> {
  const full = resolve(folder, path);
  if (!isIn(full, resolve(folder)))
    throw new Failure(EXIT.local, `${full} is outside of ${folder}: rr leaves it alone.`);
  const home = await realpath(folder);
  let parent = dirname(full);
  for (; parent !== resolve(folder); parent = dirname(parent)) {
    const real = await realpath(parent).catch(missing);
    if (real !== undefined ? isIn(real + sep, home) : !(await lstat(parent).catch(missing))?.isSymbolicLink()) continue;
    throw new Failure(
      EXIT.local,
      `${parent} is a symbolic link out of ${folder}: rr does not follow it. Remove the link.`,
    );
  }
  return full;
}

const isIn = (path: string, folder: string): boolean => path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Makes the folder of the records. Fails if it is a symbolic link. */
export async function makeOwnFolder(folder: string): Promise<void> {
  const own = join(folder, OWN_FOLDER);
  await mkdir(folder, { recursive: true });
  if (!(await lstat(own).catch(missing))) await mkdir(own, { recursive: true });
  if ((await lstat(own)).isSymbolicLink()) refuseLink(own);
}

/** Fails if a file among the records is a symbolic link: a write would change its target. */
export async function checkOwnFolder(folder: string): Promise<void> {
  for (const entry of await readdir(join(folder, OWN_FOLDER), { recursive: true, withFileTypes: true }))
    if (entry.isSymbolicLink()) refuseLink(join(entry.parentPath, entry.name));
}

function refuseLink(path: string): never {
  throw new Failure(EXIT.local, `${path} is a symbolic link: rr does not follow it. Remove the link.`);
}

/** Returns a file of the folder as it is now; undefined if it is missing. */
export async function describe(folder: string, path: string, sha256?: string): Promise<Mirrored | undefined> {
  const full = await inside(folder, path);
  const stats = await stat(full).catch(missing);
  if (!stats?.isFile()) return undefined;
  const hash = sha256 ?? (await hashOf(full));
  return { path, size: stats.size, mtimeMs: stats.mtimeMs, sha256: hash };
}

/** Returns whether a file is as it was recorded: by its size and time, with `isDeep` also by its bytes. */
export async function isIntact(folder: string, file: Mirrored, isDeep = false): Promise<boolean> {
  const full = await inside(folder, file.path);
  const stats = await stat(full).catch(missing);
  if (!stats?.isFile() || stats.size !== file.size) return false;
  if (stats.mtimeMs === file.mtimeMs && !isDeep) return true;
  return (await hashOf(full)) === file.sha256;
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
  const [source, target] = [await inside(folder, from), await inside(folder, to)];
  for (let attempt = 1; ; attempt++) {
    await mkdir(dirname(target), { recursive: true });
    try {
      await rename(source, target);
      break;
    } catch (error) {
      // Another clip may have just left the new folder and removed it because it was empty.
      const isSource = await stat(source).catch(missing);
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || !isSource || attempt >= TRIES) throw error;
    }
  }
  await tidy(folder, from);
}

/** Removes a file, and the folder that it leaves empty. */
export async function remove(folder: string, path: string): Promise<void> {
  await rm(await inside(folder, path), { force: true });
  await tidy(folder, path);
}

async function tidy(folder: string, path: string): Promise<void> {
  if (!path.includes('/') || path.startsWith(`${OWN_FOLDER}/`)) return;
  await rmdir(dirname(join(folder, path))).catch((error: NodeJS.ErrnoException) => {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(error.code ?? '')) throw error;
  });
}
