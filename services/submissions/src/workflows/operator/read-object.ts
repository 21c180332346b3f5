import { resumedRead } from '@recording-request/kit/resumed-read';
import { isMissing, type Objects } from '@recording-request/kit-objects/objects';

/**
 * Yields a range of an object as the reader requests it. Opens the object again when the store closes the connection or
 * the reader pauses.
 */
export const readRange = (
  objects: Pick<Objects, 'get'>,
  { key, offset, length }: { key: string; offset: number; length: number },
  signal: AbortSignal,
): AsyncGenerator<Buffer> =>
  resumedRead(at => objects.get(key, { offset: at, length: offset + length - at, signal }), {
    from: offset,
    to: offset + length,
    signal,
    isFinal: isMissing,
  });

export const readWhole = (
  objects: Pick<Objects, 'get'>,
  { key, size }: { key: string; size: number },
  signal: AbortSignal,
): AsyncGenerator<Buffer> => readRange(objects, { key, offset: 0, length: size }, signal);
