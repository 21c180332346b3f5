import type { Objects } from './objects.ts';
import type { Listed } from './purge.ts';

// Objects below this size are read concurrently, because one after the other, many of them would take minutes.
const SMALL_BYTES = 64 * 1024;
const SMALL_AT_ONCE = 16;

/**
 * Yields the bytes of several objects in order. Rejects if an object is missing (`isMissing`) or its size differs from
 * the list. Small objects next to each other are read concurrently, at most 1 MiB at once.
 */
export async function* readParts(
  objects: Pick<Objects, 'get'>,
  parts: AsyncIterable<Listed> | Iterable<Listed>,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  let small: Listed[] = [];
  const smallOnes = async () => {
    const bodies = await Promise.all(small.map(part => Array.fromAsync(bytesOf(objects, part, signal))));
    small = [];
    return bodies.flat();
  };
  for await (const part of parts) {
    const isSmall = part.size <= SMALL_BYTES;
    if (isSmall) small.push(part);
    if (!isSmall || small.length === SMALL_AT_ONCE) yield* await smallOnes();
    if (!isSmall) yield* bytesOf(objects, part, signal);
  }
  yield* await smallOnes();
}

async function* bytesOf(objects: Pick<Objects, 'get'>, part: Listed, signal?: AbortSignal): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of await objects.get(part.key, signal ? { signal } : {})) {
    size += (chunk as Buffer).length;
    yield chunk as Buffer;
  }
  if (size !== part.size) throw new Error(`an object of ${part.size} bytes was read with ${size}`);
}
