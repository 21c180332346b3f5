import { DomainError } from '@recording-request/kit/errors';
import { type ByteSource, resumedRead } from '@recording-request/kit/resumed-read';
import type { GetMediaResponse } from '@recording-request/proto/submissions/v1/submissions';
import type { OpenObject } from './object-reader.ts';

/** The bytes of a medium that a client requests. */
export interface MediaRead {
  media: GetMediaResponse;
  /** The offset of the first byte, and the offset after the last byte. */
  from: number;
  to: number;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}

/** Finds a medium and reads its objects. */
export interface MediaSources {
  /** `offset`: the first byte to read, for a medium in parts. */
  lookUp(offset: number): Promise<GetMediaResponse>;
  openObject: OpenObject;
}

/** The medium's bytes were replaced. */
class ReplacedMediaError extends Error {}

const isFinal = (error: unknown): boolean =>
  error instanceof ReplacedMediaError || (error instanceof DomainError && error.code === 'not_found');

/**
 * Opens the bytes. Returns undefined when the object that contains the first byte has changed, or the medium was
 * replaced.
 */
export async function openMedia(read: MediaRead, sources: MediaSources): Promise<ByteSource | undefined> {
  const { media, from, to, signal } = read;
  if (!media.parts) return await openPiece({ url: media.url, at: 0, size: media.size }, { from, to, signal }, sources);
  const ended = new AbortController();
  const pieces = { ...read, signal: AbortSignal.any([signal, ended.signal]) };
  const first = await openNext(pieces, sources);
  if (!first) return undefined;
  const chunks = chunksOf(first, pieces, sources);
  return {
    [Symbol.asyncIterator]: () => chunks,
    destroy() {
      ended.abort();
      first.bytes.destroy();
      chunks.return(undefined).catch(() => {});
    },
  };
}

/**
 * Yields the bytes of a medium as the reader requests them; `first` are the bytes that are already open. Opens the rest
 * again after the store broke off or the client paused, because a store closes a connection after half a minute without
 * a read. Fails if the medium was erased or replaced during the read.
 */
export function readMedia(first: ByteSource, read: MediaRead, sources: MediaSources): AsyncGenerator<Buffer> {
  const { media, from, to, signal } = read;
  let begun: ByteSource | undefined = first;
  const open = async (at: number) => {
    const there = begun;
    begun = undefined;
    if (there) return there;
    const now = await sources.lookUp(at);
    const rest = now.etag === media.etag && (await openMedia({ media: now, from: at, to, signal }, sources));
    if (!rest) throw new ReplacedMediaError('the medium was replaced during the read');
    return rest;
  };
  return resumedRead(open, { from, to, signal, isFinal });
}

/** The open bytes of one part, and the look-up that listed the part. */
interface OpenedPiece {
  bytes: ByteSource;
  media: GetMediaResponse;
}

/**
 * Opens the part that contains the byte at `from`. Returns undefined when the part is missing or the medium was
 * replaced.
 */
async function openNext(read: MediaRead, sources: MediaSources): Promise<OpenedPiece | undefined> {
  const { from } = read;
  const isListed = pieceAt(read.media, from) !== undefined;
  const media = isListed ? read.media : await sources.lookUp(from);
  const piece = media.etag === read.media.etag ? pieceAt(media, from) : undefined;
  const bytes = piece && (await openPiece(piece, read, sources));
  return bytes && { bytes, media };
}

async function* chunksOf(first: OpenedPiece, read: MediaRead, sources: MediaSources): AsyncGenerator<Buffer> {
  let { from } = read;
  for (let piece: OpenedPiece | undefined = first; piece; ) {
    const begun = from;
    for await (const chunk of piece.bytes) {
      from += chunk.length;
      yield chunk;
    }
    if (from >= read.to) return;
    if (from === begun) throw new Error('a part of a medium is empty');
    piece = await openNext({ ...read, media: piece.media, from }, sources);
  }
  throw new Error('a part of the medium is missing');
}

interface Piece {
  url: string;
  /** The offset of the part in the medium. */
  at: number;
  size: number;
}

function pieceAt({ parts }: GetMediaResponse, offset: number): Piece | undefined {
  if (!parts || offset < parts.offset) return undefined;
  let at = parts.offset;
  for (const { url, size } of parts.parts) {
    if (offset < at + size) return { url, at, size };
    at += size;
  }
  return undefined;
}

function openPiece(
  { url, at, size }: Piece,
  { from, to, signal }: Pick<MediaRead, 'from' | 'to' | 'signal'>,
  { openObject }: MediaSources,
): Promise<ByteSource | undefined> {
  const [start, end] = [from - at, Math.min(to - at, size)];
  const isWhole = start === 0 && end === size;
  return openObject(url, { ...(!isWhole && { range: { start, end: end - 1 } }), length: end - start, signal });
}
