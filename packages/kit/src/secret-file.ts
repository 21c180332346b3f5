import { readFileSync } from 'node:fs';

/** A secret, asked for at each use, because the file that it comes from may have been replaced. As a function it is in no log. */
export type Secret = () => string;

/** Returns the secret in `file`, without the end of its line. Fails with what is wrong with the file that `variable` names. */
export function readSecret(file: string, variable: string): string {
  let text: string;
  try {
    text = readFile(file)
      .toString('utf8')
      .replace(/\r?\n$/, '');
    if (text === '') throw new Error(`names ${file}, which is empty`);
  } catch (error) {
    throw new Error(`is to come from ${variable}, which ${(error as Error).message}`);
  }
  return text;
}

/** Returns the secret in `file`, looked at again when it is used; the one before while the file cannot be read. Fails when it cannot be read now. */
export function renewedSecret(file: string, variable: string): Secret {
  const current = lookedAt(() => readSecret(file, variable));
  return () => current();
}

const LOOK_MS = 1_000;

/**
 * Returns what `read` returns, looked at when it is asked for and at most once a second; what it returned before while it fails.
 * Fails when it fails now.
 */
export function lookedAt<T>(read: () => T): () => T {
  let last = read();
  let at = performance.now();
  return () => {
    if (performance.now() - at < LOOK_MS) return last;
    at = performance.now();
    try {
      last = read();
    } catch {
      // It is being replaced, perhaps: the next look finds the new one.
    }
    return last;
  };
}

/** Returns the bytes of a small file. Fails with what is wrong with it, in words that follow the variable that names it. */
export function readFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(`names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
