import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '@recording-request/kit/bounds';
import { isMissing, type Objects } from '@recording-request/kit/objects';

/** An object that could not be read on at `offset`, after all tries. */
export class UnreadableObjectError extends Error {
  readonly offset: number;

  constructor(key: string, offset: number, cause: unknown) {
    super(`${key} cannot be read at byte ${offset}`, { cause });
    this.offset = offset;
  }
}

const TRIES = 5;
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 2_000;
// A reader that takes nothing for so long gives its connection to the store back.
const IDLE_MS = 5_000;

/**
 * Yields the `size` bytes of an object as they are asked for. Where the store breaks off or its reader pauses, it is opened
 * again at the byte that comes next. Rejects with UnreadableObjectError after some tries without a byte, at once where
 * there is no such object.
 */
export async function* readObject(
  objects: Pick<Objects, 'get'>,
  { key, size }: { key: string; size: number },
  { signal, idleMs = IDLE_MS }: { signal: AbortSignal; idleMs?: number },
): AsyncGenerator<Buffer> {
  let offset = 0;
  let failures = 0;
  let open: { stream: Readable; chunks: AsyncIterator<Buffer> } | undefined;
  const close = () => {
    open?.stream.destroy();
    open = undefined;
  };
  let idle: NodeJS.Timeout | undefined;
  try {
    while (offset < size) {
      let chunk: Buffer;
      try {
        if (!open) {
          const stream = await objects.get(key, { offset, length: size - offset, signal });
          open = { stream, chunks: stream[Symbol.asyncIterator]() };
        }
        const next = await open.chunks.next();
        if (next.done) throw new Error(`the store ended an object after ${offset} of ${size} bytes`);
        chunk = next.value;
      } catch (error) {
        close();
        signal.throwIfAborted();
        failures += 1;
        if (isMissing(error) || failures >= TRIES) throw new UnreadableObjectError(key, offset, error);
        await delay(backoffMs(failures - 1, FIRST_WAIT_MS, LONGEST_WAIT_MS), undefined, { signal });
        continue;
      }
      failures = 0;
      offset += chunk.length;
      idle = setTimeout(close, idleMs);
      yield chunk;
      clearTimeout(idle);
    }
  } finally {
    clearTimeout(idle);
    close();
  }
}
