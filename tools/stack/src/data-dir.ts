import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { holdLock, type Lock, LockBusyError } from './install/lock.ts';

const MARKER = '.recording-request';
const LOCK = 'lock';

/**
 * Locks the data folder for this process until the caller releases the lock, and empties the folder when `fresh`.
 * Rejects when another process uses the folder, or when `fresh` applies to a folder that this command did not make.
 */
export async function openDataDir(dir: string, fresh: boolean): Promise<Lock> {
  const before = await made(dir);
  const lock = await lockOrExplain(dir);
  try {
    if (fresh && before.length > 0) {
      // A mistyped --data must not delete a user's files.
      if (!before.includes(MARKER))
        throw new Error(`${dir} was not made by this command, so it is not emptied: choose another --data.`);
      for (const entry of before) if (entry !== LOCK) await rm(join(dir, entry), { recursive: true, force: true });
    }
    if (fresh || before.length === 0) {
      await writeFile(join(dir, MARKER), 'Data of Recording Request on this machine.\n');
      // The folder contains keys. If it is inside a clone, git and the checks must skip it.
      await writeFile(join(dir, '.gitignore'), '*\n');
    }
  } catch (error) {
    await lock.release();
    throw error;
  }
  return lock;
}

/** Creates the folder if it is missing, and returns the names of its entries. */
async function made(dir: string): Promise<string[]> {
  try {
    await mkdir(dir, { recursive: true });
    return await readdir(dir);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${dir} cannot be made or used as a folder (${code}): choose another --data.`, { cause: error });
  }
}

async function lockOrExplain(dir: string): Promise<Lock> {
  try {
    return await holdLock(join(dir, LOCK), { waitMs: 0 });
  } catch (error) {
    if (!(error instanceof LockBusyError)) throw error;
    throw new Error(
      `${dir} is in use by process ${error.holder ?? 'unknown'}: stop that one, or choose another --data.`,
    );
  }
}
