import type { DetailedError } from 'tus-js-client';
import type { Api } from './api.ts';
import { RecordingRequestError, UploadError } from './errors.ts';
import { backoffOf, type CallOptions, path, wait } from './transport.ts';
import type { BeginResponseData, ContributorResponse } from './types.gen.ts';

/** A stream of Node, such as that of `fs.createReadStream`. */
export interface NodeStream {
  readonly readable: boolean;
  /** Returns bytes, or null. */
  read(size?: number): unknown;
}

/** The bytes of a recording: a File or Blob, or in Node a Buffer, or for a long one a stream of `fs.createReadStream`. */
export type UploadSource = Blob | Uint8Array | NodeStream;

/** A recording to send. `retries` is at least 5 by default. */
export interface UploadOptions extends Omit<CallOptions, 'idempotencyKey' | 'onRetry'> {
  /** The response, from `begin()`. */
  responseSessionId: string;
  /** The question, from 0; only in interviews. */
  questionIndex?: number | null;
  /** Such as video/webm; only a hint. */
  fileType?: string;
  /** A message of the contributor. */
  note?: string;
  /** The size in bytes, for a source that does not know it. */
  size?: number;
  /** The address of an upload that was interrupted, from `onAddress`. The upload continues it. */
  address?: string;
  /**
   * Gets the address of the upload as soon as there is one: store it to continue after a crash. No byte is sent before a
   * promise that it returns is fulfilled; the upload throws the reason of a rejected one.
   */
  onAddress?: (address: string) => void | Promise<void>;
  /** Gets the number of sent bytes and the size, which may be unknown. */
  onProgress?: (sentBytes: number, size: number | null) => void;
  /** The bytes of one request; 8 MiB by default. */
  chunkBytes?: number;
}

/** A recording that has landed. */
export interface Landed {
  submissionId: string;
  /** The state of the response after the landing. */
  response: ContributorResponse;
}

const CHUNK_BYTES = 8 * 1024 ** 2;
const UPLOAD_RETRIES = 5;
const MOST_RETRIES = 1_000;
const POLL_MS = 1_000;
const LANDING_MS = 10 * 60_000;

/** A recording link from the contributor's side. It needs no owner token. */
export class Recorder {
  readonly #api: Api;
  /** The path of the link. */
  readonly #base: string;
  readonly #reference: string | undefined;

  /** @internal */
  constructor(api: Api, token: string, reference?: string) {
    this.#api = api;
    this.#base = path`/r/${token}`;
    this.#reference = reference;
  }

  /** Reports that the contributor has touched the page. */
  opened(options?: CallOptions): Promise<void> {
    return this.#api.transport.none({ method: 'POST', path: `${this.#base}/opened`, anonymous: true }, options);
  }

  /**
   * Begins a response, or joins the one that was begun with this id. From then on, use the id in the answer. Without a
   * `responseSessionId`, each call chooses a new one, which all its attempts carry.
   */
  begin(body: Partial<BeginResponseData['body']> = {}, options?: CallOptions): Promise<ContributorResponse> {
    const json = { responseSessionId: crypto.randomUUID(), reference: this.#reference, ...body };
    return this.#api.post(`${this.#base}/responses`, json, options);
  }

  /** Returns the state of a response. */
  response(responseSessionId: string, options?: CallOptions): Promise<ContributorResponse> {
    return this.#api.get(this.#pathOf(responseSessionId), options);
  }

  /** Writes the contributor's note, until the clip has landed. */
  note(responseSessionId: string, note: string, options?: CallOptions): Promise<ContributorResponse> {
    return this.#api.patch(this.#pathOf(responseSessionId), { note }, options);
  }

  /**
   * Sends a recording and waits until it has landed. Needs the package tus-js-client, which continues after lost
   * connections. Throws `UploadError` if it fails or the recording is refused.
   */
  async upload(source: UploadSource, options: UploadOptions): Promise<Landed> {
    const address = await this.#send(source, options);
    return this.#landed(address.split('/').at(-1)!, options);
  }

  /** Deletes an upload that was not sent completely. The use of the link stays claimed. */
  async discard(address: string): Promise<void> {
    const { Upload } = await tus();
    await Upload.terminate(this.#absolute(address)).catch((error: unknown) => {
      throw uploadError(error);
    });
  }

  async #send(source: UploadSource, options: UploadOptions): Promise<string> {
    const { responseSessionId, questionIndex, fileType, note, signal, size } = options;
    const { Upload } = await tus();
    signal?.throwIfAborted();
    const { retries = Math.max(UPLOAD_RETRIES, this.#api.transport.options.retries) } = options;
    const metadata: Record<string, string> = { responseSessionId };
    if (typeof questionIndex === 'number') metadata.questionIndex = String(questionIndex);
    if (fileType) metadata.filetype = fileType;
    if (note) metadata.note = note;
    let address = options.address && this.#absolute(options.address);
    const bytes = await bytesOf(source);
    const sent = new AbortController();
    let kept = Promise.resolve();
    await new Promise<void>((resolve, reject) => {
      const upload = new Upload(bytes, {
        endpoint: `${this.#api.transport.baseUrl}${this.#base}/uploads`,
        uploadUrl: address ?? null,
        uploadSize: size ?? null,
        chunkSize: options.chunkBytes ?? CHUNK_BYTES,
        // tus-js-client begins them again after each progress.
        retryDelays: Array.from({ length: Math.min(retries, MOST_RETRIES) }, (_, attempt) => backoffOf(attempt)),
        storeFingerprintForResuming: false,
        metadata,
        onUploadUrlAvailable: () => {
          address = upload.url ?? address;
          if (address) keep(address);
        },
        onBeforeRequest: async request => {
          if (request.getMethod() === 'PATCH') await kept;
        },
        onProgress: (sent, total) => options.onProgress?.(sent, total),
        onSuccess: () => resolve(),
        onError: error => reject(uploadError(error)),
      });
      const stop = (reason: unknown) => {
        reject(reason);
        upload.abort().catch(() => {});
      };
      const keep = (address: string) => {
        kept = Promise.resolve(options.onAddress?.(address));
        kept.catch(stop);
      };
      const abort = () => stop(signal!.reason);
      signal?.addEventListener('abort', abort, { once: true, signal: sent.signal });
      upload.start();
    }).finally(() => sent.abort());
    if (!address) throw new UploadError('The service gave the upload no address.');
    return address;
  }

  async #landed(uploadId: string, { responseSessionId, signal }: UploadOptions): Promise<Landed> {
    const until = Date.now() + LANDING_MS;
    for (;;) {
      const response = await this.response(responseSessionId, { signal });
      for (const { submissionId, uploads } of response.answers) {
        const own = uploads.find(each => each.uploadId === uploadId);
        if (own?.state === 'refused') throw new UploadError(own.error ?? 'Refused.', own.errorCode ?? undefined);
        if (own && submissionId) return { submissionId, response };
      }
      if (Date.now() > until) throw new UploadError('The recording was sent but has not landed within ten minutes.');
      await wait(POLL_MS, signal);
    }
  }

  #pathOf(responseSessionId: string): string {
    return `${this.#base}${path`/responses/${responseSessionId}`}`;
  }

  #absolute(address: string): string {
    return new URL(address, `${this.#api.transport.baseUrl}/`).href;
  }
}

/** Returns the source in the form that tus-js-client takes on this platform: Node's build takes no Blob. */
async function bytesOf(source: UploadSource): Promise<ConstructorParameters<Tus['Upload']>[0]> {
  const { Buffer } = globalThis as { Buffer?: typeof globalThis.Buffer };
  if (source instanceof Uint8Array)
    return Buffer ? Buffer.from(source.buffer, source.byteOffset, source.length) : new Blob([source as BlobPart]);
  if (!(source instanceof Blob)) return source as never;
  return Buffer ? Buffer.from(await source.arrayBuffer()) : source;
}

type Tus = typeof import('tus-js-client');

async function tus(): Promise<Tus> {
  try {
    return await import('tus-js-client');
  } catch (error) {
    throw new RecordingRequestError('Install tus-js-client 4: uploads need it.', { cause: error });
  }
}

function uploadError(error: unknown): UploadError {
  const { originalResponse, message } = error as Partial<DetailedError> & Error;
  const code = originalResponse?.getHeader('Error-Code');
  let sentence: unknown;
  try {
    sentence = JSON.parse(originalResponse?.getBody() ?? '').error;
  } catch {}
  // The message of tus-js-client has the address, with the token in it.
  const text = typeof sentence === 'string' ? sentence : message.replaceAll(/\/r\/vr_\w+/g, '/r/…');
  return new UploadError(text, code, { cause: new Error(text) });
}
