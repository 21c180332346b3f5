import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';

/**
 * The body of an answer that is written chunk by chunk, each before the next is asked for: where the chunks are parts of one
 * buffer, nothing is copied. It can only be piped, which is what Fastify does with it.
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
        // Fastify waits for its end.
        this.push(null);
        this.resume();
      },
      error => this.destroy(error),
    );
    return destination;
  }

  async #writeTo(response: ServerResponse): Promise<void> {
    let fail: ((error: Error) => void) | undefined;
    // What waits to be written when a connection ends may not be told.
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
    // It may wait for a chunk that never comes: the caller also ends what the chunks come from.
    void this.#chunks.return?.().catch(() => {});
    done(error);
  }
}
