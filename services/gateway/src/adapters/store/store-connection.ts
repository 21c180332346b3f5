import { addAbortListener } from 'node:events';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { ResponseBody } from './response-body.ts';
import { parseResponseHead, type ResponseHead } from './response-head.ts';

const HEAD_BYTES = 16 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
/** The time limit for connecting and for the response head. */
const HEAD_MS = 10_000;
/** The maximum pause of the store within a body while the reader waits. */
const SILENCE_MS = 30_000;
/** Shorter than the idle timeout of object stores: MinIO closes an idle connection after 30 s. */
const IDLE_MS = 10_000;

export interface StoreResponse {
  head: ResponseHead;
  body: ResponseBody;
}

/**
 * A connection to the object store that carries one GET at a time. The store must declare the length of each response. The
 * connection is reused only after a body was read to its end; otherwise it closes.
 */
export class StoreConnection {
  readonly #socket: Socket;
  readonly #onIdle: (connection: StoreConnection) => void;
  readonly #onEnd: (connection: StoreConnection) => void;
  readonly #head = Buffer.allocUnsafeSlow(HEAD_BYTES);
  #headBytes = 0;
  #waiter: PromiseWithResolvers<StoreResponse> | undefined;
  #body: ResponseBody | undefined;
  #isIdle = true;
  #keepsAlive = false;
  #abort: Disposable | undefined;
  #error: Error | undefined;

  /** `secureContext` is for https addresses. */
  constructor(
    origin: URL,
    secureContext: SecureContext | undefined,
    on: Record<'idle' | 'end', (connection: StoreConnection) => void>,
  ) {
    this.#onIdle = on.idle;
    this.#onEnd = on.end;
    const onread = {
      buffer: () => (this.#body?.isOpen ? this.#body.space() : this.#head.subarray(this.#headBytes)),
      callback: (bytes: number) => this.#read(bytes),
    };
    const host = origin.hostname.replace(/^\[|\]$/g, '');
    const port = Number(origin.port) || (secureContext ? 443 : 80);
    const address = { host, port, noDelay: true, onread };
    this.#socket = secureContext
      ? connectTls({ ...address, secureContext, ...(isIP(host) === 0 && { servername: host }) })
      : connectPlain(address);
    this.#socket.on('error', error => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the object store closed the connection')));
    this.#socket.on('timeout', () => this.#timeOut());
  }

  /**
   * Sends a request and returns its response when the head has arrived. The signal ends the connection, even while the
   * body arrives.
   */
  get(request: string, signal: AbortSignal): Promise<StoreResponse> {
    if (this.#error) return Promise.reject(this.#error);
    this.#isIdle = false;
    this.#waiter = Promise.withResolvers();
    this.#abort = addAbortListener(signal, () => this.destroy(signal.reason as Error));
    this.#socket.ref().setTimeout(HEAD_MS).resume().write(request);
    return this.#waiter.promise;
  }

  destroy(error: Error): void {
    this.#fail(error);
    this.#socket.destroy();
  }

  /** Returns whether to continue reading. */
  #read(bytes: number): boolean {
    if (this.#body?.isOpen) return this.#body.filled(bytes);
    if (this.#waiter) return this.#readHead(bytes);
    this.destroy(new Error('the object store sent bytes that nobody requested'));
    return false;
  }

  #readHead(bytes: number): boolean {
    const searched = Math.max(0, this.#headBytes - HEAD_END.length);
    this.#headBytes += bytes;
    const arrived = this.#head.subarray(0, this.#headBytes);
    const end = arrived.indexOf(HEAD_END, searched);
    if (end < 0 && this.#headBytes < HEAD_BYTES) return true;
    const head = end < 0 ? undefined : parseResponseHead(arrived.toString('latin1', 0, end));
    const first = arrived.subarray(end + HEAD_END.length);
    if (!head || first.length > (head.contentLength ?? 0)) {
      // Fails: the end of this response is unknown, so the connection cannot carry another response.
      if (head && head.contentLength === undefined)
        this.#answer({ ...head, keepsAlive: false }, 0, first.subarray(0, 0));
      this.destroy(new Error('the object store sent no HTTP response with a length'));
      return false;
    }
    this.#answer(head, head.contentLength ?? 0, first);
    return this.#body!.isOpen;
  }

  #answer(head: ResponseHead, length: number, first: Buffer): void {
    this.#headBytes = 0;
    this.#keepsAlive = head.keepsAlive && head.contentLength !== undefined;
    const body = new ResponseBody(length, first, {
      resume: () => void this.#socket.resume(),
      finish: () => this.#finish(),
      destroy: error => this.destroy(error),
      waits: () => void this.#socket.setTimeout(SILENCE_MS),
    });
    this.#body = body;
    this.#waiter!.resolve({ head, body });
    this.#waiter = undefined;
  }

  #finish(): void {
    this.#body = undefined;
    this.#abort?.[Symbol.dispose]();
    if (!this.#keepsAlive || this.#error) {
      this.destroy(new Error('the connection carries no other response'));
      return;
    }
    this.#isIdle = true;
    // An idle connection reads, so that it notices when the store closes it.
    this.#socket.resume().setTimeout(IDLE_MS).unref();
    this.#onIdle(this);
  }

  #timeOut(): void {
    if (this.#waiter) this.destroy(new Error(`the object store did not answer within ${HEAD_MS} ms`));
    else if (this.#isIdle) this.destroy(new Error('the connection was idle'));
    else if (this.#body?.isWaiting) this.destroy(new Error(`the object store sent nothing for ${SILENCE_MS} ms`));
  }

  #fail(error: Error): void {
    if (this.#error) return;
    this.#error = error;
    this.#abort?.[Symbol.dispose]();
    this.#waiter?.reject(error);
    this.#waiter = undefined;
    this.#body?.fail(error);
    this.#onEnd(this);
  }
}
