import { type DetailedError, type FileReader, type HttpRequest, type HttpResponse, Upload } from 'tus-js-client';
import { check } from './check.ts';
import { chunkReader } from './chunks.ts';

export interface UploadPlan {
  /** `<recording link>/uploads`. */
  endpoint: string;
  bytes: Buffer;
  chunkBytes: number;
  metadata: Record<string, string>;
  /** Declares the length only with the last chunk, like a recorder that does not know the length earlier. */
  deferLength?: boolean;
  /**
   * The share of the bytes, 0 to 1, after which the connection breaks. A new client then continues at the server's
   * offset.
   */
  breakAt?: number;
  headers?: Record<string, string>;
  signal: AbortSignal;
}

/** The HTTP response to the last request of an upload. */
export interface UploadEnd {
  uploadUrl: string;
  status: number;
  /** The parsed body, if it is JSON. */
  body: unknown;
  patches: number;
  /**
   * The break of the connection: the acknowledged bytes, the sent bytes, and the offset at which the next client
   * continued.
   */
  broken?: { acknowledged: number; sent: number; resumedAt: number };
}

const LIMIT_MS = 120_000;
const RETRY_DELAYS_MS = [50, 200, 500, 1_000, 2_000, 4_000];

/**
 * Sends a file with tus-js-client. Resolves even if the service refuses the file. Rejects when no HTTP response arrives
 * within two minutes.
 */
export async function upload(plan: UploadPlan): Promise<UploadEnd> {
  if (plan.breakAt === undefined) {
    const end = await send(plan, { endpoint: plan.endpoint }, chunkReader(plan.bytes));
    return endOf(end);
  }
  const first = await sendUntilBroken(plan, breakByte(plan));
  const second = await send(plan, { uploadUrl: first.uploadUrl }, chunkReader(plan.bytes));
  const { resumedAt = -1 } = second;
  const { acknowledged, sent } = first;
  check(
    `the resumed upload to continue between the ${acknowledged} bytes acknowledged and the ${sent} sent`,
    resumedAt >= acknowledged && resumedAt <= sent,
    resumedAt,
  );
  const broken = { acknowledged, sent, resumedAt };
  return { ...endOf(second), patches: first.patches + second.patches, broken };
}

/** Returns the middle of the chunk that contains the break, so that the break is never at the edge of a chunk. */
function breakByte({ bytes, chunkBytes, breakAt = 0 }: UploadPlan): number {
  const chunk = Math.floor((bytes.length * breakAt) / chunkBytes);
  const end = Math.min(bytes.length, (chunk + 1) * chunkBytes);
  return Math.floor((chunk * chunkBytes + end) / 2);
}

interface Sent {
  uploadUrl: string;
  response: HttpResponse;
  patches: number;
  resumedAt?: number;
}

function send(
  plan: UploadPlan,
  where: { endpoint?: string; uploadUrl?: string },
  fileReader: FileReader,
): Promise<Sent> {
  return bounded(plan.signal, (resolve, reject) => {
    let patches = 0;
    let resumedAt: number | undefined;
    const client = new Upload(plan.bytes, {
      ...optionsOf(plan, fileReader),
      ...where,
      onBeforeRequest: request => {
        if (request.getMethod() === 'PATCH') patches += 1;
      },
      onAfterResponse: (request, response) => {
        const offset = response.getHeader('Upload-Offset');
        if (request.getMethod() === 'HEAD' && response.getStatus() === 200) resumedAt ??= Number(offset);
      },
      onSuccess: ({ lastResponse }) => resolve({ uploadUrl: client.url!, response: lastResponse, patches, resumedAt }),
      onError: error => {
        const response = (error as DetailedError).originalResponse;
        if (response) resolve({ uploadUrl: client.url ?? '', response, patches, resumedAt });
        else reject(error);
      },
    });
    client.start();
    return () => void client.abort();
  });
}

function sendUntilBroken(
  plan: UploadPlan,
  at: number,
): Promise<{ uploadUrl: string; acknowledged: number; sent: number; patches: number }> {
  return bounded(plan.signal, (resolve, reject) => {
    let patches = 0;
    let acknowledged = 0;
    let request: HttpRequest | undefined;
    const onSent = () => {
      // After this call, the client calls no handlers.
      void client.abort();
      resolve({ uploadUrl: client.url!, acknowledged, sent: at, patches });
    };
    const client = new Upload(plan.bytes, {
      ...optionsOf(plan, chunkReader(plan.bytes, { at, onSent, request: () => request })),
      endpoint: plan.endpoint,
      onBeforeRequest: next => {
        request = next;
        if (next.getMethod() === 'PATCH') patches += 1;
      },
      onChunkComplete: (_, accepted) => {
        acknowledged = accepted;
      },
      onSuccess: () => reject(new Error('expected the upload to break midway, got one that ended')),
      onError: reject,
    });
    client.start();
    return () => void client.abort();
  });
}

function optionsOf({ chunkBytes, metadata, deferLength = false, headers }: UploadPlan, fileReader: FileReader) {
  return {
    chunkSize: chunkBytes,
    metadata,
    fileReader,
    uploadLengthDeferred: deferLength,
    retryDelays: RETRY_DELAYS_MS,
    storeFingerprintForResuming: false,
    ...(headers ? { headers } : {}),
  };
}

function bounded<T>(
  signal: AbortSignal,
  run: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  const stop = run(resolve, reject);
  const onLimit = () => {
    stop();
    reject(
      signal.aborted ? signal.reason : new Error(`expected an upload to end, got none within ${LIMIT_MS / 1000} s`),
    );
  };
  if (limit.aborted) onLimit();
  else limit.addEventListener('abort', onLimit, { once: true });
  return promise.finally(() => limit.removeEventListener('abort', onLimit));
}

function endOf({ uploadUrl, response, patches }: Sent): UploadEnd {
  let body: unknown = response.getBody();
  try {
    body = JSON.parse(response.getBody());
  } catch {
    // The body is not JSON, so the text is shown.
  }
  return { uploadUrl, status: response.getStatus(), body, patches };
}
