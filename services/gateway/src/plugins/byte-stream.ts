import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';

/**
 * The body of an HTTP response. It requests a chunk only after the previous one was written, because a source may reuse
 * a chunk's memory for later bytes of the same body. Supports only pipe, which Fastify uses.
 */
export class ByteStream extends Readable {
  readonly #chunks: AsyncIterator<Buffer>;

  constructor(chunks: AsyncIterable<Buffer>) {
    super();
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  override pipe<T extends NodeJS.WritableStream>(destination: T): T {
    this.#writeTo(destination as unknown as ServerResponse).then(
      () => {
        // Ends the stream, because Fastify waits for its end.
        this.push(null);
        this.resume();
      },
      error => this.destroy(error),
    );
    return destination;
  }

  async #writeTo(response: ServerResponse): Promise<void> {
    let fail: ((error: Error) => void) | undefined;
    // If the connection ends during a write, the write's callback may never be called.
    const onClose = () => fail?.(new Error('the client went away'));
    response.once('close', onClose);
    try {
      for (;;) {
        const next = await this.#chunks.next();
        if (next.done) break;
        if (this.destroyed) return;
        await new Promise<void>((resolve, reject) => {
          fail = reject;
          response.write(next.value, error => (error ? reject(error) : resolve()));
        });
      }
      response.end();
    } finally {
      response.removeListener('close', onClose);
    }
  }

  override _read(): void {}

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // The caller also aborts the source, because the source may wait for bytes that never come.
    void this.#chunks.return?.().catch(() => {});
    done(error);
  }
}
