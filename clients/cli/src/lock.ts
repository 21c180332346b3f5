import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { missing } from './config.ts';
import { EXIT, Failure } from './failures.ts';

/** The owner of a lock. */
interface Holder {
  pid: number;
  host: string;
  /** The start of the process, on Linux: a later process may have the same pid. */
  began: string | undefined;
  id: string;
}

export interface Lock {
  release(): Promise<void>;
}

const TRIES = 5;

/**
 * Takes a lock file; `about` names what it protects. Takes over the lock of a killed process. Fails if another process
 * holds the lock.
 */
export async function lock(path: string, about: string): Promise<Lock> {
  await mkdir(dirname(path), { recursive: true });
  const own: Holder = { pid: process.pid, host: hostname(), began: await beganAt(process.pid), id: randomUUID() };
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    if (await create(path, JSON.stringify(own), own.id)) return { release: () => rm(path, { force: true }) };
    const text = await readFile(path, 'utf8').catch(missing);
    if (text === undefined) continue;
    if (await isHeld(text, own)) break;
    await takeAway(path, text);
  }
  throw new Failure(EXIT.local, `Another rr uses ${about}. End it, or wait. If there is none, remove ${path}.`);
}

/** Creates the lock file together with its text, so that nobody sees it empty. Returns false if a lock file exists. */
async function create(path: string, text: string, id: string): Promise<boolean> {
  const made = `${path}.${id}`;
  await writeFile(made, text);
  try {
    await link(made, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(made, { force: true });
  }
}

/** Returns whether the process that wrote the lock may still run. */
async function isHeld(text: string, own: Holder): Promise<boolean> {
  let holder: Partial<Holder>;
  try {
    // Another program may have written any JSON.
    holder = Object(JSON.parse(text)) as Partial<Holder>;
  } catch {
    // A full disk or a crash of the system has cut the text.
    return false;
  }
  if (holder.host !== own.host || !isPid(holder.pid)) return true;
  if (!isRunning(holder.pid)) return false;
  const began = await beganAt(holder.pid);
  return began === undefined || holder.began === undefined || began === holder.began;
}

const isPid = (pid: unknown): pid is number =>
  Number.isSafeInteger(pid) && (pid as number) > 0 && (pid as number) < 2 ** 31;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Removes the lock with this text. If another process has replaced the lock in the meantime, restores the lock of that
 * process.
 */
async function takeAway(path: string, text: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  const moved = await rename(path, aside).then(() => true, missing);
  if (!moved) return;
  const isSame = (await readFile(aside, 'utf8')) === text;
  if (isSame) await rm(aside);
  else await rename(aside, path);
}

/** Returns the start of a process on Linux, in ticks since the system began; undefined elsewhere. */
async function beganAt(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name of the program is in parentheses and may have spaces.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}
