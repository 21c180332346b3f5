import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { OutageError } from '@recording-request/events/job-claims';
import { isMissing, type Objects } from '@recording-request/kit/objects';
import type { ByteSource } from '@recording-request/kit/objects/resumed-read';
import type { StoredObject } from '@recording-request/proto/events/v1/events';

const CHUNK_BYTES = 1024 * 1024;

/** The object has more than `maxBytes`. */
export class ObjectTooLargeError extends Error {}

/**
 * Downloads an object to a local file. Returns its size in bytes, or undefined when there is no such object. Rejects with
 * ObjectTooLargeError, with an OutageError, or when the signal fires.
 */
export async function downloadObject(
  objects: Objects,
  key: string,
  path: string,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<number | undefined> {
  try {
    const body = await objects.chunks(key, { signal });
    await using file = await open(path, 'w');
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxBytes) throw new ObjectTooLargeError(`more than ${maxBytes} bytes`);
      // All of it, before the next chunk is asked for.
      await file.writeFile(chunk);
    }
    return size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error instanceof ObjectTooLargeError || signal.aborted
      ? error
      : new OutageError('The upload could not be fetched', { cause: error });
  }
}

/**
 * Uploads a local file. Its bytes are sent at once, and there is no object of them before `mayBeStored` resolves. Returns what
 * was stored, with the size and the checksums of the bytes that were sent. Rejects with an OutageError, or when the signal fires.
 */
export async function uploadFile(
  objects: Objects,
  file: { key: string; path: string; mimeType: string; mayBeStored: Promise<void> },
  signal: AbortSignal,
): Promise<StoredObject> {
  const { key, path, mimeType, mayBeStored } = file;
  const { size } = await stat(path);
  const sha256 = createHash('sha256');
  let crc = 0;
  const tally = (chunk: Buffer) => {
    sha256.update(chunk);
    crc = crc32(chunk, crc);
  };
  // The store makes an object of a body that has ended, and of no other.
  const body = bytesOfFile(path, { tally, mayEnd: mayBeStored });
  try {
    await objects.put(key, body, { size, contentType: mimeType, signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : new OutageError('The media could not be stored', { cause: error });
  }
  return { key, size, mimeType, sha256: sha256.digest('hex'), crc32: crc };
}

/** Reads a file into the same memory again and again: a chunk is its reader's until the next is asked for. `tally` sees each before. */
function bytesOfFile(
  path: string,
  { tally, mayEnd }: { tally: (chunk: Buffer) => void; mayEnd: Promise<void> },
): ByteSource {
  const stopped = new AbortController();
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  async function* read() {
    await using file = await open(path);
    const memory = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    for (;;) {
      stopped.signal.throwIfAborted();
      const { bytesRead } = await file.read(memory, 0, CHUNK_BYTES);
      if (bytesRead === 0) break;
      const chunk = memory.subarray(0, bytesRead);
      tally(chunk);
      yield chunk;
    }
    await Promise.race([mayEnd, ended.promise]);
  }
  return {
    [Symbol.asyncIterator]: read,
    destroy(error) {
      stopped.abort(error);
      ended.reject(error);
    },
  };
}
