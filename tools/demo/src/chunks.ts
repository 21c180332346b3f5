import type { ClientRequest } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as soon } from 'node:timers/promises';
import type { FileReader, FileSource, HttpRequest } from 'tus-js-client';

/** The place where the connection breaks during a chunk. */
export interface Cut {
  /** The offset in the file where sending stops. It must be inside a chunk. */
  at: number;
  /** Called once all bytes before the break have left this process. */
  onSent: () => void;
  /** The request that carries the chunk. */
  request: () => HttpRequest | undefined;
}

const FLUSH_LIMIT_MS = 10_000;

/**
 * Passes a file to tus-js-client chunk by chunk. With `cut`, the chunk that contains the offset stops there and hangs.
 */
export function chunkReader(bytes: Buffer, cut?: Cut): FileReader {
  const source: FileSource = {
    size: bytes.length,
    async slice(start, end) {
      const part = bytes.subarray(start, Math.min(end, bytes.length));
      const isCut = cut !== undefined && start < cut.at && cut.at < start + part.length;
      const value = isCut ? halting(part, cut.at - start, cut) : Buffer.from(part);
      // tus-js-client reads the size from this property, as it does for a Blob in a browser.
      return { value: Object.assign(value, { size: part.length }), done: end >= bytes.length };
    },
    close() {},
  };
  return { openFile: async () => source };
}

function halting(part: Buffer, length: number, cut: Cut): Readable {
  let isSent = false;
  return new Readable({
    read() {
      if (!isSent) {
        isSent = true;
        this.push(part.subarray(0, length));
      } else {
        flushed(cut, length).then(cut.onSent, error => this.destroy(error));
      }
    },
  });
}

/** Resolves when the request's socket has sent more than `length` bytes, headers included. */
async function flushed(cut: Cut, length: number): Promise<void> {
  const end = Date.now() + FLUSH_LIMIT_MS;
  while (Date.now() < end) {
    const { socket } = (cut.request()?.getUnderlyingObject() ?? {}) as ClientRequest;
    if (socket && socket.writableLength === 0 && socket.bytesWritten > length) return;
    await soon();
  }
  throw new Error('The bytes before the cut did not leave this process.');
}
