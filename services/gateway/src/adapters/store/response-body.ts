/** The maximum number of bytes that one read of a socket returns. */
const BUFFER_BYTES = 256 * 1024;

/** The part of a connection that a body uses. */
export interface BodyConnection {
  /** Continues to read after `filled` has returned false. */
  resume(): void;
  /** The body was read to its end: the connection is free. */
  finish(): void;
  /** Ends the connection. */
  destroy(error: Error): void;
  /** Reports that the reader waits for bytes. */
  waits(): void;
}

/**
 * The body of one response. A body has its own buffers, so no other response ever uses their memory. At most three
 * buffers exist: the socket fills one, one waits, and the reader holds one. A chunk is valid until the reader requests
 * the next one, so a reader must write a chunk before it requests another.
 */
export class ResponseBody implements AsyncIterableIterator<Buffer> {
  /** The number of bytes that have not arrived. */
  #left: number;
  #target: Buffer | undefined;
  #held: Buffer | undefined;
  #free: Buffer[] = [];
  #ready: { memory: Buffer; bytes: number }[] = [];
  #waiter: PromiseWithResolvers<IteratorResult<Buffer>> | undefined;
  #isOver = false;
  #error: Error | undefined;
  readonly #connection: BodyConnection;

  /** `first` are the bytes that arrived together with the head; they are copied. */
  constructor(length: number, first: Buffer, connection: BodyConnection) {
    this.#left = length;
    this.#connection = connection;
    if (first.length === 0) return;
    this.#target = Buffer.allocUnsafeSlow(Math.max(first.length, Math.min(BUFFER_BYTES, length)));
    first.copy(this.#target);
    this.filled(first.length);
  }

  /** Returns whether bytes are still to arrive. */
  get isOpen(): boolean {
    return this.#left > 0 && !this.#error;
  }

  /** Returns whether the reader waits for bytes. */
  get isWaiting(): boolean {
    return this.#waiter !== undefined;
  }

  /** Returns the memory for the next bytes of this body. */
  space(): Buffer {
    this.#target ??= this.#free.pop() ?? Buffer.allocUnsafeSlow(Math.min(BUFFER_BYTES, this.#left));
    return this.#target;
  }

  /** Takes the first `bytes` of `space()`. Returns false when the connection must pause. */
  filled(bytes: number): boolean {
    if (bytes > this.#left) {
      this.#connection.destroy(new Error('the object store sent more than it declared'));
      return false;
    }
    this.#left -= bytes;
    this.#ready.push({ memory: this.#target!, bytes });
    this.#target = undefined;
    const waiter = this.#waiter;
    this.#waiter = undefined;
    if (waiter) this.next().then(waiter.resolve, waiter.reject);
    return this.#left > 0 && this.#ready.length === 0;
  }

  async next(): Promise<IteratorResult<Buffer>> {
    if (this.#held) this.#free.push(this.#held);
    this.#held = undefined;
    const ready = this.#ready.shift();
    if (ready) {
      this.#held = ready.memory;
      if (this.isOpen && this.#ready.length === 0) this.#connection.resume();
      return { done: false, value: ready.memory.subarray(0, ready.bytes) };
    }
    if (this.#isOver) return { done: true, value: undefined };
    if (this.#left === 0) {
      this.#isOver = true;
      this.#connection.finish();
      return { done: true, value: undefined };
    }
    if (this.#error) throw this.#error;
    this.#connection.waits();
    this.#waiter = Promise.withResolvers();
    return await this.#waiter.promise;
  }

  /** Ends the read. The reader may still hold a chunk, so its memory is not overwritten. */
  destroy(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ready = [];
    this.#waiter?.resolve({ done: true, value: undefined });
    this.#waiter = undefined;
    this.#connection.destroy(new Error('the reader left'));
  }

  async return(): Promise<IteratorResult<Buffer>> {
    this.destroy();
    return { done: true, value: undefined };
  }

  /** Reports that the connection ended. The reader still gets the bytes that arrived before the end. */
  fail(error: Error): void {
    this.#error ??= error;
    if (this.#left > 0) this.#waiter?.reject(error);
    this.#waiter = undefined;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
