import { DomainError } from '@recording-request/kit/errors';
import { type ByteSource, resumedRead } from '@recording-request/kit/objects/resumed-read';
import type { GetMediaResponse } from '@recording-request/proto/submissions/v1/submissions';
import type { OpenObject } from './object-reader.ts';

/** What is read of a medium. */
export interface MediaRead {
  /** Its bytes from `from` on. */
  first: ByteSource;
  media: Pick<GetMediaResponse, 'etag'>;
  /** The first byte, and the one after the last. */
  from: number;
  to: number;
  /** The client's: it ends the reading. */
  signal: AbortSignal;
}

/** What knows where a medium is, and what reads it there. */
export interface MediaSources {
  lookUp(): Promise<GetMediaResponse>;
  openObject: OpenObject;
}

/** There are other bytes now. */
class ReplacedMediaError extends Error {}

const isFinal = (error: unknown): boolean =>
  error instanceof ReplacedMediaError || (error instanceof DomainError && error.code === 'not_found');

/**
 * Yields the bytes of a medium as they are asked for. Where the store breaks off, or the client pauses, they are opened again
 * at the byte that comes next: a store ends a connection that nobody reads after half a minute. Rejects where the medium was
 * erased or replaced meanwhile.
 */
export function readMedia(
  { first, media, from, to, signal }: MediaRead,
  { lookUp, openObject }: MediaSources,
): AsyncGenerator<Buffer> {
  let begun: ByteSource | undefined = first;
  const open = async (at: number) => {
    const there = begun;
    begun = undefined;
    if (there) return there;
    const { url, etag } = await lookUp();
    const range = { start: at, end: to - 1 };
    const rest = etag === media.etag && (await openObject(url, { range, length: to - at, signal }));
    if (!rest) throw new ReplacedMediaError('the medium is another one than it was');
    return rest;
  };
  return resumedRead(open, { from, to, signal, isFinal });
}
