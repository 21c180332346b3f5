import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { returnBuffer, takeBuffer } from './buffers.ts';
import { parseResponseHead, type ResponseHead } from './response-head.ts';

const HEAD_BYTES = 16 * 1024;
const HEAD_MS = 10_000;
/** How long the store may be silent within a body that somebody waits for. */
const SILENCE_MS = 30_000;
/** As much as TLS hands over at once. */
const RECORD_BYTES = 16 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
const DONE = { done: true, value: undefined } as const;

interface Waiter<T> {
  resolve(value: T): void;
  reject(error: Error): void;
}

/**
 * A connection to the object store that carries one GET after the other. What arrives is read into two buffers in turn, one
 * of which is filled while the other is written elsewhere: nothing is copied, and nothing is left to collect.
 */
export class StoreConnection {
  readonly #socket: Socket;
  readonly #onRest: (usable: boolean) => void;
  readonly #headBuffer = Buffer.allocUnsafeSlow(HEAD_BYTES);
  #headBytes = 0;
  #state: 'rests' | 'head' | 'body' = 'rests';
  #headWaiter: Waiter<ResponseHead> | undefined;
  /** Bytes of the body that have not arrived. */
  #left = 0;
  #keepsAlive = false;
  #buffers: Buffer[] = [];
  #turn = 0;
  readonly #isSecure: boolean;
  /** TLS hands over all that it has decrypted, also after reading was stopped: that goes here, as both buffers are in use. */
  #overrun: Buffer | undefined;
  /** Arrived and not taken; at most what was behind the head, one of each buffer, and what TLS had decrypted. */
  #chunks: Buffer[] = [];
  #chunkWaiter: Waiter<IteratorResult<Buffer>> | undefined;
  #error: Error | undefined;
  /** Whether the reader holds a chunk of a buffer. */
  #isHeld = false;

  /** `secureContext` is for https. `onRest` is told when a body was read or given up, with whether the connection can carry the next. */
  constructor(origin: URL, secureContext: SecureContext | undefined, onRest: (usable: boolean) => void) {
    this.#onRest = onRest;
    const onread = {
      buffer: () => this.#space(),
      callback: (bytes: number, into: Uint8Array) => this.#read(into, bytes),
    };
    const host = origin.hostname.replace(/^\[|\]$/g, '');
    const secure = origin.protocol === 'https:';
    this.#isSecure = secure;
    const address = { host, port: Number(origin.port) || (secure ? 443 : 80), noDelay: true, onread };
    this.#socket = secure
      ? connectTls({ ...address, secureContext, ...(isIP(host) === 0 && { servername: host }) })
      : connectPlain(address);
    this.#socket.on('error', error => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the object store ended the connection')));
    this.#socket.on('timeout', () => {
      if (this.#state === 'rests' || this.#headWaiter || this.#chunkWaiter)
        this.destroy(new Error('the object store did not go on'));
    });
  }

  /** Sends a request whose head is `text`. Rejects where no head of an answer comes. */
  get(text: string): Promise<ResponseHead> {
    const { promise, resolve, reject } = Promise.withResolvers<ResponseHead>();
    if (this.#error) return Promise.reject(this.#error);
    this.#headWaiter = { resolve, reject };
    this.#state = 'head';
    this.#headBytes = 0;
    this.#socket.setTimeout(HEAD_MS);
    this.#socket.write(text, 'latin1');
    this.#socket.resume();
    return promise;
  }

  /** Takes the next part of the body, which is the reader's until it takes another. */
  next(): Promise<IteratorResult<Buffer>> {
    this.#isHeld = false;
    const chunk = this.#chunks.shift();
    if (chunk) {
      this.#isHeld = true;
      this.#goOn();
      return Promise.resolve({ done: false, value: chunk });
    }
    if (this.#state === 'rests') return Promise.resolve(DONE);
    if (this.#left === 0) {
      for (const buffer of this.#buffers) returnBuffer(buffer);
      this.#rest();
      return Promise.resolve(DONE);
    }
    if (this.#error) return Promise.reject(this.#error);
    const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Buffer>>();
    this.#chunkWaiter = { resolve, reject };
    this.#socket.setTimeout(SILENCE_MS);
    this.#goOn();
    return promise;
  }

  /** Ends the reading of a body. A reader may still hold its last chunk: its buffer is nobody's from now on. */
  giveUp(): void {
    if (this.#state === 'rests') return;
    if (this.#left > 0 || this.#chunks.length > 0 || this.#state === 'head') this.destroy();
    else this.#rest();
  }

  destroy(error?: Error): void {
    this.#socket.destroy();
    this.#fail(error ?? new Error('the reading was given up'));
  }

  /** After `ms` without a request the connection ends. */
  restAtMost(ms: number): void {
    this.#socket.setTimeout(ms);
  }

  /** A connection that rests keeps no process alive. */
  setRef(isNeeded: boolean): void {
    if (isNeeded) this.#socket.ref();
    else this.#socket.unref();
  }

  // Where the next bytes go.
  #space(): Buffer {
    if (this.#state !== 'body' || this.#left === 0) return this.#headBuffer.subarray(this.#headBytes);
    if (!this.#isSecure || this.#hasRoom()) return this.#buffers[this.#turn]!;
    this.#overrun ??= Buffer.allocUnsafeSlow(RECORD_BYTES);
    return this.#overrun;
  }

  // Returns whether more may come: false stops reading until the socket is resumed.
  #read(into: Uint8Array, bytes: number): boolean {
    if (this.#state === 'body') return this.#readBody(into as Buffer, bytes);
    if (this.#state === 'head') return this.#readHead(bytes);
    this.destroy(new Error('the object store sent what nobody asked for'));
    return false;
  }

  #readHead(bytes: number): boolean {
    const searched = Math.max(0, this.#headBytes - HEAD_END.length);
    this.#headBytes += bytes;
    const end = this.#headBuffer.subarray(0, this.#headBytes).indexOf(HEAD_END, searched);
    if (end < 0 && this.#headBytes < HEAD_BYTES) return true;
    const head = end < 0 ? undefined : parseResponseHead(this.#headBuffer.toString('latin1', 0, end));
    const rest = this.#headBuffer.subarray(end + HEAD_END.length, this.#headBytes);
    if (!head || head.contentLength === undefined || rest.length > head.contentLength) {
      // Its length is not known, so where it ends is not, either.
      if (head && head.contentLength === undefined) this.#answer({ ...head, keepsAlive: false });
      this.destroy(new Error('the object store answered what is no HTTP'));
      return false;
    }
    this.#state = 'body';
    this.#keepsAlive = head.keepsAlive;
    this.#left = head.contentLength - rest.length;
    this.#headBytes = 0;
    this.#buffers = this.#left > 0 ? [takeBuffer(), takeBuffer()] : [];
    this.#turn = 0;
    if (rest.length > 0) this.#chunks.push(rest);
    this.#answer(head);
    return this.#left > 0;
  }

  #answer(head: ResponseHead): void {
    this.#headWaiter?.resolve(head);
    this.#headWaiter = undefined;
  }

  #readBody(into: Buffer, bytes: number): boolean {
    if (bytes > this.#left) {
      this.destroy(new Error('the object store sent more than it said'));
      return false;
    }
    this.#left -= bytes;
    const chunk = into.subarray(0, bytes);
    if (into === this.#overrun) this.#overrun = undefined;
    else this.#turn = 1 - this.#turn;
    if (this.#chunkWaiter) {
      this.#isHeld = true;
      this.#chunkWaiter.resolve({ done: false, value: chunk });
      this.#chunkWaiter = undefined;
    } else {
      this.#chunks.push(chunk);
    }
    return this.#left > 0 && this.#hasRoom();
  }

  // Two buffers: what waits and what the reader holds must be one of them at most.
  #hasRoom(): boolean {
    return this.#chunks.length + (this.#isHeld ? 1 : 0) < 2;
  }

  #goOn(): void {
    if (this.#left > 0 && this.#hasRoom()) this.#socket.resume();
  }

  #rest(): void {
    this.#state = 'rests';
    this.#buffers = [];
    this.#chunks = [];
    const usable = this.#keepsAlive && !this.#error;
    // So that it is seen when the store ends the connection.
    if (usable) this.#socket.resume();
    else this.#socket.destroy();
    this.#onRest(usable);
  }

  #fail(error: Error): void {
    if (this.#error) return;
    this.#error = error;
    this.#headWaiter?.reject(error);
    this.#headWaiter = undefined;
    // The body may have come whole.
    if (this.#left > 0 || this.#state === 'head') {
      this.#chunkWaiter?.reject(error);
      this.#chunkWaiter = undefined;
    }
    if (this.#state !== 'body' || this.#left > 0) this.#onRest(false);
  }
}
