import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '../bounds.ts';

/** What could not be read on at `offset`, after all tries. */
export class UnreadableError extends Error {
  readonly offset: number;

  constructor(offset: number, cause: unknown) {
    super(`nothing can be read at byte ${offset}`, { cause });
    this.offset = offset;
  }
}

const TRIES = 5;
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 2_000;
// A reader that takes nothing for so long gives its connection back.
const IDLE_MS = 5_000;

/** Bytes that can be given up midway. A chunk is its reader's until the next is asked for. */
export interface ByteSource extends AsyncIterable<Buffer> {
  destroy(error?: Error): void;
  /** Where it can fail while nobody reads. */
  on?(event: 'error', listener: (error: Error) => void): unknown;
}

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
 * Yields bytes as they are asked for from what `open` returns at an offset. Where that breaks off or the reader pauses, it
 * is opened again at the byte that comes next. Rejects with UnreadableError after some tries without a byte, at once where
 * an error is final.
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
          // Between two reads nothing else listens.
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
    // Tells the source that its last chunk is free, too.
    current?.chunks.next().catch(() => {});
  } finally {
    clearTimeout(idle);
    close();
  }
}
