import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isAlive } from '../child-process.ts';
import { exists, isCode } from '../files.ts';
import type { Log } from '../log.ts';
import { holdLock } from './lock.ts';

/**
 * Returns the folder that keeps installed servers between runs, one per machine: RECORDING_REQUEST_CACHE or a folder in
 * the user's cache.
 */
export function cacheRoot(env: NodeJS.ProcessEnv = process.env): string {
  if (env.RECORDING_REQUEST_CACHE) return resolve(env.RECORDING_REQUEST_CACHE);
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'recording-request');
}

/**
 * Returns the folder `<root>/<name>`. If it does not exist, `fill` fills a folder with another name; then this renames
 * the folder, so a folder with this name is always complete. If several processes call this, one of them fills the
 * folder, and the others wait (at most `lockWaitMs`) and use it. Rejects with the error of `fill`.
 */
export async function installOnce(options: {
  root: string;
  name: string;
  log: Log;
  fill: (dir: string) => Promise<void>;
  signal?: AbortSignal;
  lockWaitMs?: number;
}): Promise<string> {
  const { root, name, log, fill, signal, lockWaitMs = 30 * 60_000 } = options;
  const place = join(root, name);
  if (await exists(place)) return place;
  await mkdir(root, { recursive: true });
  await using _lock = await holdLock(join(root, `${name}.lock`), {
    waitMs: lockWaitMs,
    signal,
    onWait: holder => log(`waiting for process ${holder ?? 'unknown'}, which is installing ${name}`),
  });
  if (await exists(place)) return place;
  await removeLeftovers(root, name);
  const dir = await mkdtemp(join(root, `${name}.tmp-${process.pid}-`));
  try {
    await fill(dir);
    await rename(dir, place);
  } catch (error) {
    await rm(dir, { recursive: true, force: true });
    // Without flock, two processes may fill the folder at once. The first rename wins, and both results are complete.
    if (isCode(error, 'ENOTEMPTY', 'EEXIST') && (await exists(place))) return place;
    throw error;
  }
  return place;
}

/** Removes the folders of killed installs. Keeps the folder of a process that still runs. */
async function removeLeftovers(root: string, name: string): Promise<void> {
  for (const entry of await readdir(root)) {
    const pid = entry.startsWith(`${name}.tmp-`) ? Number(entry.slice(`${name}.tmp-`.length).split('-')[0]) : undefined;
    if (pid !== undefined && pid !== process.pid && !isAlive(pid))
      await rm(join(root, entry), { recursive: true, force: true });
  }
}
