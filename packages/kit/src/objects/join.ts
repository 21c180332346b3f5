import { Readable } from 'node:stream';
import type { Client } from 'minio';
import type { WholePut } from './checksum.ts';
import { endUpload, putStream } from './multipart.ts';
import type { Listed } from './purge.ts';
import { asked } from './requests.ts';

/** What one object is made of others with. */
export interface JoinPut {
  key: string;
  /** The objects in order, whose sizes add up to `size`. Called again where the store cannot copy. */
  sources(): AsyncIterable<Listed>;
  contentType: string;
  /** In bytes. */
  size: number;
  signal?: AbortSignal | undefined;
}

/** Consecutive bytes of an object; `isWhole`: all of it. */
export interface Piece {
  key: string;
  offset: number;
  length: number;
  isWhole: boolean;
}

interface Store {
  client: Client;
  putWhole(put: WholePut): Promise<void>;
  get(key: string, range: { offset?: number; length?: number; signal?: AbortSignal | undefined }): Promise<Readable>;
  bucket: string;
  requestMs: number;
}

/** S3 takes no smaller part of a multipart upload, but for the last one. */
export const MIN_PART_BYTES = 5 * 1024 * 1024;
const COPIES_AT_ONCE = 4;
const READ_AT_ONCE = 16;
const KNOWN_MS = 5 * 60_000;
// What a store answers that does not copy parts, or not for this user. Any other answer may differ the next time.
const CANNOT_COPY = /^(NotImplemented|MethodNotAllowed|AccessDenied|InvalidRequest|InvalidArgument)$/;

/**
 * Returns a function that makes one object of others, one behind the other. What is large enough for a part of a multipart
 * upload the store copies by itself; smaller neighbours are read and sent together, in less than twice `MIN_PART_BYTES`.
 * With a store that does not copy, all is read and sent. As with a stream, the whole is stored or nothing.
 */
export function joins(store: Store): (put: JoinPut) => Promise<void> {
  let cannotUntil = 0;
  return async put => {
    if (performance.now() >= cannotUntil) {
      try {
        return await joinParts(store, put);
      } catch (error) {
        if (!(error instanceof CannotCopyError)) throw error;
        cannotUntil = performance.now() + KNOWN_MS;
      }
    }
    const body = Readable.from(contents(store, put), { objectMode: false });
    await putStream({ ...store, ...put, body });
  };
}

class CannotCopyError extends Error {}

async function joinParts(store: Store, put: JoinPut): Promise<void> {
  const { client, bucket, requestMs } = store;
  const { key, contentType, size, signal } = put;
  const parts = partsOf(put.sources())[Symbol.asyncIterator]();
  const first = await parts.next();
  const head = first.done ? [] : first.value;
  const isShort = bytesOf(head) === size && (head.length !== 1 || size < MIN_PART_BYTES);
  if (isShort) return await store.putWhole({ key, contentType, signal, body: await read(store, head, signal) });

  const ask = <T>(work: () => Promise<T>) => asked(work, requestMs, 'joining objects', signal);
  const id = await ask(() => client.initiateNewMultipartUpload(bucket, key, { 'Content-Type': contentType }));
  const sent: Array<{ part: number; etag: string }> = [];
  const running = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;
  let bytes = 0;
  const begin = async (part: number, headers: Record<string, string>, body: Buffer | string) => {
    const config = { bucketName: bucket, objectName: key, uploadID: id, partNumber: part, headers };
    // A copy that fails after its answer has begun says so in the body of a success.
    const { etag } = await ask(() => client.uploadPart(config, body as Buffer)).catch(refusedCopy(headers));
    if (!etag) throw new Error('the store did not say what it stored');
    sent.push({ part, etag });
  };
  try {
    let number = 0;
    for (let pieces: Piece[] | undefined = head; pieces; ) {
      number += 1;
      bytes += bytesOf(pieces);
      const isCopied = pieces.length === 1 && (pieces[0]!.length >= MIN_PART_BYTES || bytes === size);
      if (isCopied) {
        const copying = begin(number, copyOf(bucket, pieces[0]!), '')
          .catch(error => {
            failure ??= { error };
          })
          .finally(() => running.delete(copying));
        running.add(copying);
        if (running.size >= COPIES_AT_ONCE) await Promise.race(running);
      } else {
        await begin(number, {}, await read(store, pieces, signal));
      }
      if (failure) throw failure.error;
      const next = await parts.next();
      pieces = next.done ? undefined : next.value;
    }
    await Promise.all(running);
    if (failure) throw failure.error;
    if (bytes !== size) throw new Error(`an object of ${size} bytes was to be joined, and there are ${bytes}`);
    const inOrder = sent.toSorted((a, b) => a.part - b.part);
    await ask(() => client.completeMultipartUpload(bucket, key, id, inOrder));
  } catch (error) {
    // A part that arrives after the abort would stay.
    await Promise.all(running);
    await endUpload(client, bucket, key, id, requestMs).catch(() => {});
    throw error;
  }
}

/**
 * Yields what each part is made of: one piece that the store can copy, or several that are too small for that. Where a
 * large object follows small ones, so much of it goes with them that both have the size of a part.
 */
export async function* partsOf(sources: AsyncIterable<Listed>): AsyncGenerator<Piece[]> {
  let part: Piece[] = [];
  let bytes = 0;
  for await (const { key, size } of sources) {
    for (let offset = 0; offset < size; ) {
      const left = size - offset;
      const wanted = MIN_PART_BYTES - bytes;
      const length = bytes > 0 && left - wanted >= MIN_PART_BYTES ? wanted : left;
      part.push({ key, offset, length, isWhole: length === size });
      bytes += length;
      offset += length;
      if (bytes < MIN_PART_BYTES) continue;
      yield part;
      part = [];
      bytes = 0;
    }
  }
  if (part.length > 0) yield part;
}

const bytesOf = (pieces: Piece[]): number => pieces.reduce((sum, { length }) => sum + length, 0);

function copyOf(bucket: string, { key, offset, length, isWhole }: Piece): Record<string, string> {
  return {
    'x-amz-copy-source': `/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`,
    ...(isWhole ? {} : { 'x-amz-copy-source-range': `bytes=${offset}-${offset + length - 1}` }),
  };
}

const refusedCopy = (headers: Record<string, string>) => (error: unknown) => {
  const isCopy = 'x-amz-copy-source' in headers;
  if (isCopy && CANNOT_COPY.test((error as { code?: string } | null)?.code ?? ''))
    throw new CannotCopyError('the store does not copy', { cause: error });
  throw error;
};

/** Reads pieces side by side: one after the other, very many small ones take minutes. */
async function read(store: Store, pieces: Piece[], signal: AbortSignal | undefined): Promise<Buffer> {
  const whole = Buffer.allocUnsafe(bytesOf(pieces));
  let at = 0;
  const places = pieces.map(piece => {
    at += piece.length;
    return { piece, at: at - piece.length };
  });
  for (let from = 0; from < places.length; from += READ_AT_ONCE)
    await Promise.all(
      places.slice(from, from + READ_AT_ONCE).map(async ({ piece: { key, offset, length }, at }) => {
        let bytes = 0;
        for await (const chunk of await store.get(key, { offset, length, signal })) {
          bytes += (chunk as Buffer).copy(whole, at + bytes, 0, length - bytes);
        }
        if (bytes !== length) throw new Error(`${length} bytes were to be read, and ${bytes} came`);
      }),
    );
  return whole;
}

async function* contents(store: Store, { sources, signal }: JoinPut): AsyncGenerator<Buffer> {
  for await (const { key, size } of sources())
    if (size > 0) for await (const chunk of await store.get(key, { signal })) yield chunk as Buffer;
}
