import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes text atomically to a file that only this user can read. */
export async function writePrivate(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const beside = `${file}.${process.pid}.tmp`;
  await writeFile(beside, text, { mode: 0o600 });
  await rename(beside, file);
}

/** Writes a value as JSON, like `writePrivate`. */
export const writePrivateJson = (file: string, value: unknown): Promise<void> =>
  writePrivate(file, `${JSON.stringify(value, null, 2)}\n`);

/** Returns the JSON in `file`, or undefined when there is no file. Rejects when the content is not JSON. */
export async function readJson<T>(file: string): Promise<T | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new Error(`${file} is not JSON: delete it, and it is created again.`);
  }
}

/** Returns the secret in `file`. If the file is missing, creates it with a new secret and mode 600. */
export async function keptSecret<T>(file: string, make: () => T): Promise<T> {
  const kept = await readJson<T>(file);
  if (kept !== undefined) return kept;
  const made = make();
  await writePrivateJson(file, made);
  return made;
}
