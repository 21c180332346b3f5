import {
  ApiError,
  ConnectionError,
  DownloadChangedError,
  DownloadError,
  IntegrityError,
  RecordingRequestError,
  unexpected,
} from './errors.ts';
import { fileNameOf } from './file-names.ts';
import { type Hasher, sha256 } from './sha256.ts';
import type { Call, CallOptions, Transport } from './transport.ts';
import { backoffOf, wait } from './waits.ts';

/** The properties of a file on the server. */
export interface FileInfo {
  /** In bytes; undefined if the service makes the file while it sends it. */
  size: number | undefined;
  /** Identifies these bytes, in quotes; undefined if the file cannot be resumed. */
  etag: string | undefined;
  /**
   * The hex SHA-256 of the bytes; undefined if the response does not state it. The service states it for clips,
   * thumbnails and audio, but a proxy may remove or weaken the ETag.
   */
  sha256: string | undefined;
  /** The media type, such as video/webm; the owner's routes for video and audio say application/octet-stream. */
  type: string | undefined;
  /** The name that the service suggests, safe as the name of a file in a folder; undefined if it suggests none. */
  fileName: string | undefined;
}

/** Bytes of an earlier download. */
export interface ResumeFrom {
  /** The number of bytes that you have. */
  offset: number;
  /** The `etag` with which you got them. */
  etag: string;
  /**
   * Yields these bytes again, so that the client can check the SHA-256 of the whole file; without it, the client checks
   * only the length.
   */
  prior?: AsyncIterable<Uint8Array>;
}

export interface OpenOptions extends CallOptions {
  from?: ResumeFrom;
  /** The hex SHA-256 that the bytes must have. It is also checked if the service does not give one. */
  sha256?: string;
}

/** A download that has begun. Iterate it once. */
export interface OpenedDownload extends AsyncIterable<Uint8Array> {
  info: FileInfo;
  /** The position of the first byte: `from.offset` if the server resumed, 0 if it began again. */
  offset: number;
}

/**
 * A file of the service. Nothing is sent until you call a method. After a lost connection, the download continues at
 * the last byte if the service supports this. At the end, the client checks the length and, if the service states it,
 * the SHA-256.
 */
export class Download {
  readonly #transport: Transport;
  readonly #call: Call;
  readonly #options: CallOptions;

  /** @internal */
  constructor(transport: Transport, call: Call, options: CallOptions = {}) {
    this.#transport = transport;
    this.#call = call;
    this.#options = options;
  }

  /** Returns the properties without the bytes. Only videos, audio and archives support this call. */
  async info(options: CallOptions = {}): Promise<FileInfo> {
    const call: Call = { ...this.#call, method: 'HEAD' };
    const response = await this.#send(call, { ...this.#options, ...options });
    await response.body?.cancel();
    return infoOf(response);
  }

  /**
   * Begins the download, or continues one. Iterating throws `DownloadChangedError` if the file changes during the
   * download, `DownloadError` if the download breaks off, and `IntegrityError` if the bytes are not those that the
   * server promised.
   */
  async open({ from, sha256: expected, ...rest }: OpenOptions = {}): Promise<OpenedDownload> {
    const options = { ...this.#options, ...rest };
    const response = await this.#request(from, options).catch((error: unknown) => nothingLeft(error, from));
    const given = infoOf(response);
    const info = { ...given, sha256: given.sha256 ?? expected?.toLowerCase() };
    const offset = response.status === 206 ? from!.offset : 0;
    const hasher = info.sha256 === undefined ? undefined : await sha256();
    const prior = offset > 0 ? from?.prior : undefined;
    const check = hasher && (offset === 0 || prior) ? { hasher, prior } : undefined;
    const refuse = async (error: RecordingRequestError) => {
      await response.body?.cancel();
      throw error;
    };
    if (expected !== undefined && info.sha256 !== expected.toLowerCase())
      await refuse(new IntegrityError(`The SHA-256 of the file on the server is ${info.sha256}, not ${expected}.`));
    if (expected !== undefined && !check)
      await refuse(new RecordingRequestError('Checking sha256 needs node:crypto and, with from, its prior.'));
    return { info, offset, [Symbol.asyncIterator]: () => this.#read(response, info, offset, check, options) };
  }

  /** Returns the bytes as a stream. */
  stream(options: OpenOptions = {}): ReadableStream<Uint8Array> {
    let parts: AsyncIterator<Uint8Array> | undefined;
    return new ReadableStream({
      pull: async controller => {
        parts ??= (await this.open(options))[Symbol.asyncIterator]();
        const { done, value } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await parts?.return?.()),
    });
  }

  /** Returns all bytes, in memory. */
  async bytes(options: CallOptions = {}): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for await (const part of await this.open(options)) parts.push(part);
    const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }

  /** Returns all bytes as text. */
  async text(options: CallOptions = {}): Promise<string> {
    return new TextDecoder().decode(await this.bytes(options));
  }

  /** Returns all bytes as JSON. */
  async json<T>(options: CallOptions = {}): Promise<T> {
    return JSON.parse(await this.text(options)) as T;
  }

  async #request(from: Pick<ResumeFrom, 'offset' | 'etag'> | undefined, options: CallOptions): Promise<Response> {
    const headers: Record<string, string> = { ...this.#call.headers };
    if (from && from.offset > 0) Object.assign(headers, { range: `bytes=${from.offset}-`, 'if-range': from.etag });
    const response = await this.#send({ ...this.#call, headers }, options);
    // A cache may ignore If-Range and add bytes of another version.
    if (response.status !== 206 || (response.headers.get('etag') === from!.etag && firstOf(response) === from!.offset))
      return response;
    await response.body?.cancel();
    throw new DownloadChangedError('The server sent bytes of another version or position; start the download again.');
  }

  /**
   * Returns a file, or the part that the call asks for. Throws `UnexpectedAnswerError` for another answer, such as a
   * page: no file of the service is HTML.
   */
  async #send(call: Call, options: CallOptions): Promise<Response> {
    const response = await this.#transport.send(call, options);
    const isAsked = response.status === 200 || (response.status === 206 && call.headers?.range !== undefined);
    if (isAsked && !/^text\/html\b/i.test(response.headers.get('content-type') ?? '')) return response;
    await response.body?.cancel();
    throw unexpected(response, this.#transport.addressOf(call));
  }

  async *#read(
    first: Response,
    info: FileInfo,
    from: number,
    check: { hasher: Hasher; prior: AsyncIterable<Uint8Array> | undefined } | undefined,
    options: CallOptions,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const { retries = this.#transport.options.retries, onRetry = this.#transport.options.onRetry } = options;
    let response = first;
    let offset = from;
    if (check?.prior) for await (const part of check.prior) check.hasher.update(part);
    for (let failures = 0; ; failures++) {
      try {
        for await (const part of this.#transport.parts(this.#call, response, options)) {
          if (offset + part.length > (info.size ?? Number.POSITIVE_INFINITY))
            throw new IntegrityError(`The download has more than the ${info.size} bytes that the server promised.`);
          check?.hasher.update(part);
          offset += part.length;
          failures = 0;
          yield part;
        }
        if (info.size === undefined || offset >= info.size) break;
        throw new ConnectionError(`The download ended at byte ${offset} of ${info.size}.`);
      } catch (error) {
        if (!(error instanceof ConnectionError)) throw error;
        if (info.etag === undefined || failures >= retries)
          throw new DownloadError(`The download broke off at byte ${offset}: ${error.message}`, { cause: error });
        const delayMs = failures === 0 ? 0 : backoffOf(failures - 1);
        onRetry?.(error, delayMs, failures + 1);
        await wait(delayMs, options.signal);
      }
      response = await this.#again(info, offset, options);
    }
    if (info.size !== undefined && offset !== info.size)
      throw new IntegrityError(`The download has ${offset} bytes instead of ${info.size}.`);
    if (check && (await check.hasher.hex()) !== info.sha256)
      throw new IntegrityError(`The SHA-256 of the download is not ${info.sha256}: its bytes were changed on the way.`);
  }

  async #again(info: FileInfo, offset: number, options: CallOptions): Promise<Response> {
    const response = await this.#request({ offset, etag: info.etag! }, options);
    const { etag, size } = infoOf(response);
    if (offset === 0 ? etag === info.etag : response.status === 206 && (info.size ?? size) === size) return response;
    await response.body?.cancel();
    throw new DownloadChangedError('The file changed on the server during the download; start it again.');
  }
}

/**
 * Returns an empty answer if the server has no bytes after `from`. These are the same bytes: for another ETag, the
 * server would have sent the whole file. Throws other errors.
 */
function nothingLeft(error: unknown, from: ResumeFrom | undefined): Response {
  if (!from || !(error instanceof ApiError) || error.status !== 416) throw error;
  const range = error.headers.get('content-range') ?? '';
  if (range !== `bytes */${from.offset}`)
    throw new DownloadChangedError('You have more bytes than the file on the server; start it again.');
  const headers = { etag: from.etag, 'accept-ranges': 'bytes', 'content-range': range };
  return new Response(null, { status: 206, headers });
}

const SHA256 = /^"([0-9a-f]{64})"$/;

const RANGE = /^bytes (\d+)-\d+\/\d+$/;

/** Returns the position of the first byte of a part; undefined unless the server states it and the total size. */
const firstOf = ({ headers }: Response): number | undefined => {
  const [, first] = RANGE.exec(headers.get('content-range') ?? '') ?? [];
  return first === undefined ? undefined : Number(first);
};

/** Returns the properties in the headers of an answer. */
function infoOf({ status, headers }: Response): FileInfo {
  const etag = headers.get('accept-ranges') === 'bytes' ? strongTag(headers) : undefined;
  const total = status === 206 ? /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1] : lengthOf(headers);
  return {
    size: total === undefined || total === null ? undefined : Number(total),
    etag,
    sha256: SHA256.exec(etag ?? '')?.[1],
    type: headers.get('content-type') ?? undefined,
    fileName: fileNameOf(headers.get('content-disposition') ?? ''),
  };
}

const strongTag = (headers: Headers): string | undefined => {
  const tag = headers.get('etag');
  return tag?.startsWith('"') ? tag : undefined;
};

// With an encoding, the header has the length of the encoded bytes, and fetch returns the decoded ones.
const lengthOf = (headers: Headers) => (headers.get('content-encoding') ? null : headers.get('content-length'));
