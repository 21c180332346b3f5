import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from './bounds.ts';

/** Nothing could be read at `offset`, after all retries. */
export class UnreadableError extends Error {
  readonly offset: number;

  constructor(offset: number, cause: unknown) {
    super(`nothing can be read at byte ${offset}`, { cause });
    this.offset = offset;
  }
}

/** A stream of bytes that can be closed early. A chunk is valid until the reader requests the next chunk. */
export interface ByteSource extends AsyncIterable<Buffer> {
  destroy(): void;
  /** Present if the source can fail between reads. */
  on?(event: 'error', listener: (error: Error) => void): unknown;
}

const TRIES = 5;
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 2_000;
// If the reader pauses for this time, the read closes the connection, because stores wait at most half a minute.
const IDLE_MS = 5_000;

export interface ResumedReadOptions {
  /** The position of the first byte, and the position after the last byte. */
  from: number;
  to: number;
  signal: AbortSignal;
  /** Returns whether a retry after this error cannot succeed. */
  isFinal?: (error: unknown) => boolean;
  idleMs?: number;
}

/**
 * Yields the bytes from `from` to `to` on demand. `open` returns a stream from an offset to `to`. When the stream
 * breaks off or the reader pauses, opens another stream at the next byte. Fails with UnreadableError after several
 * retries without a byte, or at once after a final error.
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
  // Uses one timer for all chunks, because there may be thousands of chunks.
  let isHeld = false;
  const idle = setTimeout(() => isHeld && close(), idleMs);
  try {
    while (offset < to) {
      let chunk: Buffer;
      try {
        if (!current) {
          const stream = await open(offset);
          // Between two reads nothing else listens for errors.
          stream.on?.('error', () => {});
          current = { stream, chunks: stream[Symbol.asyncIterator]() };
        }
        const next = await current.chunks.next();
        if (next.done) throw new Error(`the stream ended at byte ${offset} of ${to}`);
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
    // Reads the end of the stream, so that the source can reuse its connection.
    current?.chunks.next().catch(() => {});
  } finally {
    clearTimeout(idle);
    close();
  }
}
