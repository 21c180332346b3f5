import type { Readable } from 'node:stream';
import { DomainError } from '@recording-request/kit/errors';
import { resumedRead, UnreadableError } from '@recording-request/kit/resumed-read';
import { seekableCipher } from '@recording-request/kit/seekable-cipher';
import type { ArchiveObject, ArchivePiece } from '@recording-request/proto/exports/v1/exports';
import type { Services } from '../clients/services.ts';
import type { OpenObject } from './object-reader.ts';

/** A read of an archive's bytes. */
export interface ArchiveRead {
  ownerId: string;
  projectId: string;
  archiveId: string;
  /** The offset of the first byte, and the offset after the last byte. */
  from: number;
  to: number;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}

/** The service that locates the bytes of an archive, and the reader of its objects. */
export interface ArchiveSources {
  exports: Services['exports'];
  openObject: OpenObject;
}

// The number of pieces in one look-up. An archive has two pieces for each video: a header and the object.
const PIECES_AT_ONCE = 32;
// When this many bytes of an object are left, the reader opens the next object, so that the client does not wait for
// the store between two objects.
const AHEAD_BYTES = 1024 ** 2;
// After an erasure, a download of the project ends within about this time, even in the middle of a video.
const CHECK_MS = 2_000;
// The submissions service reports erasures. While it does not respond, a download continues for at most this time.
const UNCHECKED_MS = 30_000;

/**
 * Yields the bytes of an archive as the reader requests them. The archive's plan locates the bytes in the store. Opens
 * the next object shortly before the current object ends. Fails if a part of the project was erased. Also fails if it
 * cannot read an object, and reports that object.
 */
export async function* readArchive(
  { exports, openObject }: ArchiveSources,
  { signal, ...read }: ArchiveRead,
): AsyncGenerator<Buffer> {
  const locate = (offset: number, maxPieces: number) => exports.locateArchive({ ...read, offset, maxPieces });
  for (let offset = read.from; offset < read.to; ) {
    const { pieces } = await locate(offset, PIECES_AT_ONCE);
    if (pieces.length === 0) throw new Error(`the archive has no bytes at ${offset}`);
    const readings = readingsOf(pieces, offset, { to: read.to, locate, openObject, signal });
    try {
      for (const [at, { to, chunks }] of readings.entries())
        for await (const chunk of chunks()) {
          offset += chunk.length;
          if (to - offset <= AHEAD_BYTES)
            readings
              .slice(at + 1)
              .find(({ isObject }) => isObject)
              ?.begin();
          yield chunk;
        }
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      if (isOver(error.cause)) throw error.cause;
      await exports.reportArchive({ ...read, offset });
      const sentence = 'A video cannot be read; ask for the export again, which then goes without it.';
      throw new DomainError('unavailable', sentence, { cause: error, retryAfterSec: 1 });
    } finally {
      for (const reading of readings) reading.end();
    }
  }
}

type Locate = (offset: number, maxPieces: number) => ReturnType<Services['exports']['locateArchive']>;

/** An object is missing, or its size differs from the plan. */
class MissingObjectError extends Error {}

/** Returns whether an error means that the archive no longer exists. */
export const isOver = (error: unknown): error is DomainError => error instanceof DomainError && error.code === 'gone';
const isFinal = (error: unknown): boolean => error instanceof MissingObjectError || isOver(error);

/** The bytes of one piece of an archive. */
interface Reading {
  /** The end of the piece, as an offset in the archive. */
  to: number;
  isObject: boolean;
  /** Opens an object early and reads its first bytes. */
  begin(): void;
  chunks(): Iterable<Buffer> | AsyncIterable<Buffer>;
  /** Stops what `begin` started. */
  end(): void;
}

/** Returns the pieces from `from` to `to`. */
function readingsOf(
  pieces: ArchivePiece[],
  from: number,
  { to, ...sources }: Pick<ObjectRead, 'locate' | 'openObject' | 'signal'> & { to: number },
): Reading[] {
  const readings: Reading[] = [];
  for (const { source } of pieces) {
    const offset = readings.at(-1)?.to ?? from;
    const left = to - offset;
    if (left <= 0) break;
    if (source?.$case === 'object') {
      const bytes = objectBytes(source.value, { ...sources, offset, left });
      readings.push(objectReading(bytes, offset + Math.min(source.value.length, left)));
    } else {
      const content = Buffer.from(source!.value).subarray(0, left);
      const nothing = () => {};
      const chunks = () => [content];
      readings.push({ to: offset + content.length, isObject: false, begin: nothing, chunks, end: nothing });
    }
  }
  return readings;
}

function objectReading(bytes: AsyncGenerator<Buffer>, to: number): Reading {
  let first: Promise<IteratorResult<Buffer>> | undefined;
  const begin = () => {
    first ??= bytes.next();
    // Prevents an unhandled rejection: the reader of this piece awaits the same promise and gets the error.
    first.catch(() => {});
    return first;
  };
  return {
    to,
    isObject: true,
    begin,
    async *chunks() {
      const { done, value } = await begin();
      if (done) return;
      yield value;
      yield* bytes;
    },
    end: () => void bytes.return(undefined).catch(() => {}),
  };
}

interface ObjectRead {
  offset: number;
  left: number;
  locate: Locate;
  openObject: OpenObject;
  signal: AbortSignal;
}

/** Yields at most `left` bytes of an object whose first byte is at `offset` in the archive. */
async function* objectBytes(
  object: ArchiveObject,
  { offset, left, locate, openObject, signal }: ObjectRead,
): AsyncGenerator<Buffer> {
  const from = object.offset;
  const to = from + Math.min(object.length, left);
  let url: string | undefined = object.url;
  const open = async (at: number) => {
    // Requests a new presigned address, because the first one may have expired during a long pause of the reader.
    const address: string = url ?? (await addressAt(locate, offset + at - from));
    url = undefined;
    const bytes = await openObject(address, { range: { start: at, end: to - 1 }, length: to - at, signal });
    if (!bytes) throw new MissingObjectError('an object of an archive has changed');
    return bytes;
  };
  const chunks = resumedRead(open, { from, to, signal, isFinal });
  if (object.cipherKey.length === 0) return yield* chunks;
  const decipher = seekableCipher(object.cipherKey, from);
  for await (const chunk of chunks) yield decipher(chunk);
}

async function addressAt(locate: Locate, offset: number): Promise<string> {
  const [piece] = (await locate(offset, 1)).pieces;
  if (piece?.source?.$case !== 'object') throw new Error(`an archive has no object at ${offset}`);
  return piece.source.value.url;
}

/**
 * Checks for erasures, even while the archive's reader waits. Calls `end` when a part of the project was erased. Stops
 * when `bytes` close.
 */
export function endWhenErased(
  bytes: Readable,
  exports: Services['exports'],
  read: Omit<ArchiveRead, 'signal'>,
  end: (error: Error) => void,
): void {
  let answeredAt = performance.now();
  const timer = setInterval(async () => {
    try {
      await exports.locateArchive({ ...read, offset: read.from, maxPieces: 0 });
      answeredAt = performance.now();
    } catch (error) {
      if (isOver(error) || performance.now() - answeredAt > UNCHECKED_MS) end(error as Error);
    }
  }, CHECK_MS);
  bytes.once('close', () => clearInterval(timer));
}
