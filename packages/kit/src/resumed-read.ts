import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from './bounds.ts';

/** Nothing could be read at `offset`, after all tries. */
export class UnreadableError extends Error {
  readonly offset: number;

  constructor(offset: number, cause: unknown) {
    super(`nothing can be read at byte ${offset}`, { cause });
    this.offset = offset;
  }
}

/** Bytes whose reading can end early. A chunk is valid until the reader asks for the next one. */
export interface ByteSource extends AsyncIterable<Buffer> {
  destroy(): void;
  /** For sources that can fail while nobody reads. */
  on?(event: 'error', listener: (error: Error) => void): unknown;
}

const TRIES = 5;
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 2_000;
// The connection of a reader that takes nothing for so long is closed: stores do not wait longer than half a minute.
const IDLE_MS = 5_000;

export interface ResumedReadOptions {
  /** The first byte, and the one after the last. */
  from: number;
  to: number;
  signal: AbortSignal;
  /** Whether an error of `open`, or of what it returned, would come again. */
  isFinal?: (error: unknown) => boolean;
  idleMs?: number;
}

/**
 * Yields the bytes from `from` to `to` as they are asked for. `open` returns a stream that begins at an offset and ends at `to`.
 * When the stream breaks off or the reader pauses, this opens a new one at the next byte. Fails with UnreadableError after some
 * tries without a byte, or at once when an error is final.
 */
export async function* resumedRead(
  open: (offset: number) => Promise<ByteSource>,
  { from, to, signal, isFinal = () => false, idleMs = IDLE_MS }: ResumedReadOptions,
): AsyncGenerator<Buffer> {
  let offset = from;
  let failures = 0;
  let current: { stream: ByteSource; chunks: AsyncIterator<Buffer> } | undefined;
  const close = () => {
    current?.stream.destroy();
    current = undefined;
  };
  // One for all chunks, which come by the thousand.
  let isHeld = false;
  const idle = setTimeout(() => isHeld && close(), idleMs);
  try {
    while (offset < to) {
      let chunk: Buffer;
      try {
        if (!current) {
          const stream = await open(offset);
          // Nothing else listens between two reads.
          stream.on?.('error', () => {});
          current = { stream, chunks: stream[Symbol.asyncIterator]() };
        }
        const next = await current.chunks.next();
        if (next.done) throw new Error(`what is read ended at byte ${offset} of ${to}`);
        chunk = next.value;
      } catch (error) {
        close();
        signal.throwIfAborted();
        failures += 1;
        if (isFinal(error) || failures >= TRIES) throw new UnreadableError(offset, error);
        await delay(backoffMs(failures - 1, FIRST_WAIT_MS, LONGEST_WAIT_MS), undefined, { signal });
        continue;
      }
      failures = 0;
      offset += chunk.length;
      isHeld = true;
      idle.refresh();
      yield chunk;
      isHeld = false;
    }
    // Asks for the end, so that the source can use its connection again.
    current?.chunks.next().catch(() => {});
  } finally {
    clearTimeout(idle);
    close();
  }
}
