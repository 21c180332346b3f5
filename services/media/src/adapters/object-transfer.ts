import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { pipeline, type Readable, Transform } from 'node:stream';
import { crc32 } from 'node:zlib';
import { OutageError } from '@recording-request/events/job-claims';
import { isMissing, type Objects } from '@recording-request/kit-objects/objects';
import { readParts } from '@recording-request/kit-objects/read-parts';
import type { StoredObject } from '@recording-request/proto/events/v1/events';
import type { StoredParts } from '@recording-request/proto/media/v1/media';

const CHUNK_BYTES = 1024 * 1024;

/** The object has more than `maxBytes`. */
export class ObjectTooLargeError extends Error {}

/** An upload in the store: the object `key`, or consecutive `parts`. */
export interface StoredUpload {
  key: string;
  parts: StoredParts | undefined;
}

/**
 * Downloads an upload to a local file. Returns its size in bytes; undefined when an object is missing. Rejects with
 * ObjectTooLargeError, an OutageError, or the signal's reason.
 */
export async function downloadUpload(
  objects: Objects,
  { key, parts }: StoredUpload,
  path: string,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<number | undefined> {
  try {
    const body = parts ? readParts(objects, parts.parts, signal) : await objects.get(key, { signal });
    await using file = await open(path, 'w');
    let size = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new ObjectTooLargeError(`more than ${maxBytes} bytes`);
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
 * Uploads a local file. Sends its bytes at once, but the object exists only after `mayBeStored` resolves. Returns the
 * stored object with the size and checksums of the sent bytes. Rejects with an OutageError, or with the signal's
 * reason.
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
  // The store creates an object only from a complete body, so the body's end waits for `mayBeStored`.
  const body = bytesOfFile(path, { tally, mayEnd: mayBeStored });
  try {
    await objects.put(key, body, { size, contentType: mimeType, signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : new OutageError('The media could not be stored', { cause: error });
  }
  return { key, size, mimeType, sha256: sha256.digest('hex'), crc32: crc };
}

/** Streams a file. The stream ends only after `mayEnd` has resolved. `tally` gets each chunk. */
function bytesOfFile(
  path: string,
  { tally, mayEnd }: { tally: (chunk: Buffer) => void; mayEnd: Promise<void> },
): Readable {
  const tallied = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      tally(chunk);
      done(null, chunk);
    },
    flush(done) {
      mayEnd.then(() => done(), done);
    },
  });
  // Nothing awaits the pipeline, because the transform reports every error to its reader.
  return pipeline(createReadStream(path, { highWaterMark: CHUNK_BYTES }), tallied, () => {});
}
