import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip } from 'node:zlib';
import type { StoredFile } from './manifest.ts';

/** Passes bytes on, and counts and hashes them. */
export function meter(): Transform & { bytes: number; hash: Hash } {
  const hash = createHash('sha256');
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      through.bytes += chunk.length;
      done(null, chunk);
    },
  }) as Transform & { bytes: number; hash: Hash };
  return Object.assign(through, { bytes: 0, hash });
}

/** Writes a file atomically: the file gets its name when all its bytes are on the disk. A failure leaves no file. */
export async function writeWhole(
  path: string,
  source: AsyncIterable<Buffer>,
): Promise<{ bytes: number; sha256: string }> {
  await mkdir(dirname(path), { recursive: true });
  const counted = meter();
  const partial = `${path}.partial`;
  try {
    await pipeline(source, counted, createWriteStream(partial, { mode: 0o600 }));
    const file = await open(partial);
    await file.sync();
    await file.close();
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw error;
  }
  return { bytes: counted.bytes, sha256: counted.hash.digest('hex') };
}

/**
 * Writes a compressed file of the backup. Speed matters more than size, because MongoDB keeps the moment only for a
 * limited time.
 */
export async function writeCompressed(dir: string, path: string, source: AsyncIterable<Buffer>): Promise<StoredFile> {
  async function* compressed() {
    const gzip = createGzip({ level: constants.Z_BEST_SPEED });
    const filling = pipeline(source, gzip);
    filling.catch(error => gzip.destroy(error));
    yield* gzip as AsyncIterable<Buffer>;
    await filling;
  }
  return { path, ...(await writeWhole(join(dir, path), compressed())) };
}

export const readCompressed = (path: string): AsyncIterable<Buffer> =>
  createReadStream(path).compose(createGunzip() as never) as unknown as AsyncIterable<Buffer>;

/** Reads the JSON objects of a compressed file, one per line. */
export async function* readLines<T>(path: string): AsyncGenerator<T> {
  const unzipped = createReadStream(path).compose(createGunzip() as never);
  for await (const line of createInterface({ input: unzipped as never, crlfDelay: Number.POSITIVE_INFINITY }))
    yield JSON.parse(line) as T;
}

/** Joins small pieces into larger ones to save writes. */
export async function* gathered(pieces: AsyncIterable<Buffer>, size = 256 * 1024): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    held.push(piece);
    bytes += piece.length;
    if (bytes < size) continue;
    yield Buffer.concat(held);
    held = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(held);
}

/** Reads the documents of a BSON file. */
export async function* documentsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (rest.length - at >= 4) {
      const size = rest.readInt32LE(at);
      if (rest.length - at < size) break;
      yield rest.subarray(at, at + size);
      at += size;
    }
    rest = rest.subarray(at);
  }
  if (rest.length > 0) throw new Error('a file of documents ends in the middle of one');
}

/** Runs `work` for each item, `count` at a time. Stops at the first failure. */
export async function eachAtOnce<T>(
  items: AsyncIterable<T>,
  count: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;
  for await (const item of items) {
    if (failure) break;
    const one: Promise<void> = work(item)
      .catch(error => {
        failure ??= { error };
      })
      .finally(() => running.delete(one));
    running.add(one);
    if (running.size >= count) await Promise.race(running);
  }
  await Promise.all(running);
  if (failure) throw failure.error;
}

const PROGRESS_MS = 2_000;

/** Returns a function that shows a line, at most once every two seconds. */
export function nowAndThen(show: (line: string) => void): (line: () => string) => void {
  let shownAt = performance.now();
  return line => {
    if (performance.now() - shownAt < PROGRESS_MS) return;
    shownAt = performance.now();
    show(line());
  };
}
