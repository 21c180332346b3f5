import type { DetailedError, HttpRequest, HttpResponse } from 'tus-js-client';
import { RecordingRequestError, retryAfterOf, UploadError } from './errors.ts';
import { type CallOptions, isTemporary, type OnRetry, type Transport } from './transport.ts';
import { backoffOf, later, wait } from './waits.ts';

/** A stream of Node, such as the result of `fs.createReadStream`. */
export interface NodeStream {
  readonly readable: boolean;
  /** Returns bytes, or null. */
  read(size?: number): unknown;
}

/** The bytes of a recording: a File or a Blob; in Node also a Buffer or, for a long recording, `fs.createReadStream`. */
export type UploadSource = Blob | Uint8Array | NodeStream;

/** A recording to send. `retries` is at least 5 by default. */
export interface UploadOptions extends Omit<CallOptions, 'idempotencyKey'> {
  /** The response, from `begin()`. */
  responseSessionId: string;
  /** The question, from 0; only in interviews. */
  questionIndex?: number | null;
  /** Such as video/webm; only a hint. */
  fileType?: string;
  /** A message of the contributor. */
  note?: string;
  /** How the contributor answers; required unless the project allows both video and file. */
  answerMode?: 'video' | 'audio' | 'file';
  /** True if the contributor signs, so that silence is expected. */
  signed?: boolean;
  /** The size in bytes. Required for a stream other than `fs.createReadStream(path)`. */
  size?: number;
  /** The address of an upload that was interrupted, from `onAddress`. The upload continues it. */
  address?: string;
  /**
   * Gets the address of the upload as soon as there is one: store it to continue after a crash. If the function returns
   * a promise, no byte is sent before the promise is fulfilled; if the promise is rejected, the upload throws its
   * reason.
   */
  onAddress?: (address: string) => void | Promise<void>;
  /** Gets the number of sent bytes and the size, which may be unknown. */
  onProgress?: (sentBytes: number, size: number | null) => void;
  /** The bytes of one request; 8 MiB by default. */
  chunkBytes?: number;
}

const CHUNK_BYTES = 8 * 1024 ** 2;
const UPLOAD_RETRIES = 5;
const MOST_RETRIES = 1_000;

/** Sends a recording to the uploads of a link, with tus-js-client. Returns the address of the upload. */
export async function sendBytes(
  transport: Transport,
  path: string,
  source: UploadSource,
  options: UploadOptions,
): Promise<string> {
  const { signal } = options;
  if (options.size === undefined && !hasSize(source))
    throw new UploadError('Set the option size, in bytes: only files, Blobs and Buffers know their size.');
  const { Upload } = await tus();
  signal?.throwIfAborted();
  const bytes = await bytesOf(source);
  let address = options.address && addressOf(transport, options.address);
  const attempts = new UploadAttempts(transport, options);
  const ended = new AbortController();
  let kept = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    const upload = new Upload(bytes, {
      endpoint: `${transport.baseUrl}${path}`,
      uploadUrl: address ?? null,
      uploadSize: options.size ?? null,
      chunkSize: options.chunkBytes ?? CHUNK_BYTES,
      storeFingerprintForResuming: false,
      metadata: metadataOf(options),
      retryDelays: attempts.delaysMs,
      onBeforeRequest: async request => {
        if (request.getMethod() === 'PATCH') await kept;
        await attempts.begin(restart);
      },
      onAfterResponse: (request, response) => attempts.answered(request, response),
      onShouldRetry: (error, failures) => attempts.isRepeated(error, failures),
      onUploadUrlAvailable: () => {
        address = upload.url ?? address;
        if (address) keep(address);
      },
      onProgress: (sent, total) => {
        attempts.progressed(sent);
        options.onProgress?.(sent, total);
      },
      onSuccess: () => resolve(),
      onError: error => reject(uploadError(error)),
    });
    const restart = () => {
      const restarted = upload.abort().then(() => attempts.afterStall());
      restarted.then(() => upload.start(), reject);
    };
    const stop = (reason: unknown) => {
      reject(reason);
      upload.abort().catch(() => {});
    };
    const keep = (address: string) => {
      kept = (async () => options.onAddress?.(addressOf(transport, address)))();
      kept.catch(stop);
    };
    const abort = () => stop(signal!.reason);
    signal?.addEventListener('abort', abort, { once: true, signal: ended.signal });
    upload.start();
  }).finally(() => {
    ended.abort();
    attempts.stop();
  });
  if (!address) throw new UploadError('The service gave the upload no address.');
  return address;
}

/** Deletes the upload of an address. */
export async function deleteUpload(transport: Transport, address: string): Promise<void> {
  const { Upload } = await tus();
  await Upload.terminate(addressOf(transport, address)).catch((error: Error) => {
    throw uploadError(error);
  });
}

/**
 * Makes tus-js-client repeat the attempts of an upload like the other calls of this client. By itself, tus-js-client
 * has no time limit, ignores Retry-After, gives up after 429, and begins a new upload after a HEAD that failed for a
 * moment.
 */
class UploadAttempts {
  readonly delaysMs: number[];
  readonly #limits: { timeoutMs: number; maxRetryDelayMs: number; onRetry?: OnRetry; signal?: AbortSignal };
  #readyAtMs = 0;
  #sent = 0;
  #stalls = 0;
  #watch = () => {};
  #cancel = () => {};

  constructor({ options: client }: Transport, options: UploadOptions) {
    const { timeoutMs = client.timeoutMs, onRetry = client.onRetry, signal } = options;
    const { retries = Math.max(UPLOAD_RETRIES, client.retries) } = options;
    this.#limits = { timeoutMs, onRetry, signal, maxRetryDelayMs: client.maxRetryDelayMs };
    // tus-js-client starts again with the first delay after each progress.
    this.delaysMs = Array.from({ length: Math.min(retries, MOST_RETRIES) }, (_, failure) => backoffOf(failure));
  }

  /** Waits for Retry-After. Calls `stalled` if the request then neither ends nor sends a byte within the time limit. */
  async begin(stalled: () => void): Promise<void> {
    const pauseMs = Math.min(this.#pauseMs(), this.#limits.maxRetryDelayMs);
    if (pauseMs > 0) await wait(pauseMs, this.#limits.signal);
    this.#watch = () => {
      this.#cancel();
      this.#cancel = later(this.#limits.timeoutMs, () => {
        this.stop();
        stalled();
      });
    };
    this.#watch();
  }

  progressed(sent: number): void {
    this.#watch();
    if (sent <= this.#sent) return;
    this.#sent = sent;
    this.#stalls = 0;
  }

  answered(request: HttpRequest, response: HttpResponse): void {
    this.stop();
    const seconds = retryAfterOf(response.getHeader('Retry-After'));
    if (seconds !== undefined) this.#readyAtMs = Date.now() + seconds * 1000;
    if (request.getMethod() === 'HEAD' && isTemporary(response.getStatus())) throw answerError(response);
  }

  isRepeated(error: DetailedError, failures: number): boolean {
    this.stop();
    const status = error.originalResponse?.getStatus() ?? 0;
    const isFinal = status >= 400 && ![409, 423].includes(status) && !isTemporary(status);
    if (isFinal || this.#pauseMs() > this.#limits.maxRetryDelayMs) return false;
    const delayMs = Math.max(this.#pauseMs(), this.delaysMs[failures]!);
    this.#limits.onRetry?.(uploadError(error), delayMs, failures + 1);
    return true;
  }

  /** Waits before the attempt after a stall. Throws after too many stalls without a further byte. */
  async afterStall(): Promise<void> {
    const { timeoutMs, onRetry, signal } = this.#limits;
    const error = new UploadError(`The upload sent no bytes and got no answer for ${timeoutMs / 1000} s.`);
    const delayMs = this.delaysMs[this.#stalls++];
    if (delayMs === undefined) throw error;
    onRetry?.(error, delayMs, this.#stalls);
    await wait(delayMs, signal);
  }

  /** Ends the time limit of the request. */
  stop(): void {
    this.#cancel();
    this.#watch = () => {};
  }

  #pauseMs(): number {
    return this.#readyAtMs - Date.now();
  }
}

function metadataOf({
  responseSessionId,
  questionIndex,
  fileType,
  note,
  answerMode,
  signed,
}: UploadOptions): Record<string, string> {
  const metadata: Record<string, string> = { responseSessionId };
  if (typeof questionIndex === 'number') metadata.questionIndex = String(questionIndex);
  if (fileType) metadata.filetype = fileType;
  if (note) metadata.note = note;
  if (answerMode) metadata.answerMode = answerMode;
  if (signed) metadata.signed = 'true';
  return metadata;
}

/** Returns the whole address of an upload. Throws if it is at another origin, which must not get the recording. */
function addressOf({ baseUrl }: Transport, address: string): string {
  const base = `${baseUrl}/`;
  const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
  if (url?.origin === new URL(base).origin && !url.username && !url.password) return url.href;
  throw new UploadError('The address of the upload is not at the origin of the service. No byte was sent there.');
}

/** Returns the source in the form that tus-js-client takes on this platform: Node's build takes no Blob. */
async function bytesOf(source: UploadSource): Promise<ConstructorParameters<Tus['Upload']>[0]> {
  const { Buffer } = globalThis as { Buffer?: typeof globalThis.Buffer };
  if (source instanceof Uint8Array)
    return Buffer ? Buffer.from(source.buffer, source.byteOffset, source.length) : new Blob([source as BlobPart]);
  if (!(source instanceof Blob)) return source as never;
  return Buffer ? Buffer.from(await source.arrayBuffer()) : source;
}

/**
 * Returns whether tus-js-client can find the size of the source. The only stream whose size it can find is
 * `fs.createReadStream(path)`.
 */
const hasSize = (source: UploadSource): boolean =>
  source instanceof Uint8Array || source instanceof Blob || (source as { path?: unknown }).path != null;

type Tus = typeof import('tus-js-client');

async function tus(): Promise<Tus> {
  try {
    return await import('tus-js-client');
  } catch (error) {
    throw new RecordingRequestError('Install tus-js-client 4: uploads need it.', { cause: error });
  }
}

function uploadError({ originalResponse, causingError, message }: Error & Partial<DetailedError>): UploadError {
  if (causingError instanceof UploadError) return causingError;
  return originalResponse ? answerError(originalResponse, message) : plainError(message);
}

function answerError(response: HttpResponse, message = `The service answered ${response.getStatus()}.`): UploadError {
  let sentence: unknown;
  try {
    sentence = JSON.parse(response.getBody()).error;
  } catch {}
  return plainError(typeof sentence === 'string' ? sentence : message, response.getHeader('Error-Code'));
}

function plainError(message: string, code?: string): UploadError {
  // The message of tus-js-client has the address, with the token in it.
  const text = message.replaceAll(/\/r\/vr_\w+/g, '/r/…');
  return new UploadError(text, code, { cause: new Error(text) });
}
