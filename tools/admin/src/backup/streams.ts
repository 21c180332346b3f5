import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { constants, createGunzip, createGzip } from 'node:zlib';
import { NotDone } from '../run-erase.ts';
import type { Content, Place, StoredFile } from './place.ts';

/** Passes bytes on, and counts and hashes them. `content` describes the bytes that have passed; call it once. */
export function metered(source: AsyncIterable<Buffer>, tick: (bytes: number) => void = () => {}) {
  const hash = createHash('sha256');
  let bytes = 0;
  async function* chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      hash.update(chunk);
      bytes += chunk.length;
      tick(chunk.length);
      yield chunk;
    }
  }
  return { chunks: chunks(), content: (): Content => ({ bytes, sha256: hash.digest('hex') }) };
}

/** Reads all bytes of a source. */
export async function contentOf(source: AsyncIterable<Buffer>, tick?: (bytes: number) => void): Promise<Content> {
  const counted = metered(source, tick);
  for await (const _chunk of counted.chunks);
  return counted.content();
}

/** Writes a file atomically: the file gets its name when all its bytes are on the disk. A failure leaves no file. */
export async function writeWhole(path: string, source: AsyncIterable<Buffer>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.partial`;
  try {
    await pipeline(source, createWriteStream(partial, { mode: 0o600 }));
    const file = await open(partial);
    await file.sync();
    await file.close();
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw error;
  }
}

/**
 * Writes a compressed file of the backup. Speed matters more than size, because MongoDB keeps the moment only for a
 * limited time.
 */
export async function writeCompressed(place: Place, path: string, source: AsyncIterable<Buffer>): Promise<StoredFile> {
  async function* compressed() {
    const gzip = createGzip({ level: constants.Z_BEST_SPEED });
    const filling = pipeline(source, gzip);
    filling.catch(error => gzip.destroy(error));
    yield* gzip as AsyncIterable<Buffer>;
    await filling;
  }
  return { path, ...(await place.write(path, compressed())) };
}

export async function* readCompressed(place: Place, path: string): AsyncGenerator<Buffer> {
  const file = await place.read(path);
  if (!file) throw new NotDone(`The backup in ${place.name} is not complete: ${path} is missing.`);
  yield* file.compose(createGunzip() as never) as unknown as AsyncIterable<Buffer>;
}

/** Reads the JSON objects of a compressed file, one per line. */
export async function* readLines<T>(place: Place, path: string): AsyncGenerator<T> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of readCompressed(place, path)) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop()!;
    for (const line of lines) yield JSON.parse(line) as T;
  }
  if (rest !== '') throw new Error(`${path} ends in the middle of a line`);
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

/** Runs `work` for each item, `count` at a time. Stops at the first failure, after the running work has ended. */
export async function eachAtOnce<T>(
  items: AsyncIterable<T>,
  count: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;
  const fail = (error: unknown) => {
    failure ??= { error };
  };
  try {
    for await (const item of items) {
      if (failure) break;
      const one: Promise<void> = work(item)
        .catch(fail)
        .finally(() => running.delete(one));
      running.add(one);
      if (running.size >= count) await Promise.race(running);
    }
  } catch (error) {
    fail(error);
  }
  await Promise.all(running);
  if (failure) throw failure.error;
}
