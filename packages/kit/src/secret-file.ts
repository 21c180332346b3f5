import { readFileSync } from 'node:fs';

/**
 * Returns a secret. It is a function because the secret's file may be replaced, and because a log prints no function.
 */
export type Secret = () => string;

/**
 * Returns the secret in `file`, without its line break. Throws an Error that names `variable` and describes the fault
 * of the file. Only an optional secret may be empty.
 */
export function readSecret(file: string, variable: string, isOptional = false): string {
  let text: string;
  try {
    text = readFile(file)
      .toString('utf8')
      .replace(/\r?\n$/, '');
    if (text === '' && !isOptional) throw new Error(`names ${file}, which is empty`);
  } catch (error) {
    throw new Error(`is to come from ${variable}, which ${(error as Error).message}`);
  }
  return text;
}

/**
 * Returns a function that reads the secret again at each use, and keeps the last secret while the file is unreadable or
 * empty. Throws if the file is unreadable now; only an optional secret may be empty now.
 */
export function renewedSecret(file: string, variable: string, isOptional = false): Secret {
  let mayBeEmpty = isOptional;
  const current = lookedAt(() => {
    const secret = readSecret(file, variable, mayBeEmpty);
    mayBeEmpty = false;
    return secret;
  });
  return () => current();
}

const LOOK_MS = 1_000;

/**
 * Returns a function that calls `read` at most once a second. While `read` fails, the function returns the last result.
 * Throws if the first read fails.
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
      // Perhaps the file is being replaced: then the next read finds the new file.
    }
    return last;
  };
}

/** Returns the bytes of a small file. Throws an Error whose message follows the name of the variable. */
export function readFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(`names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
