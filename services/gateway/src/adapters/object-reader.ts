import { trace } from '@opentelemetry/api';
import { DomainError } from '@recording-request/kit/errors';
import type { ByteSource } from '@recording-request/kit/resumed-read';
import { tlsContext } from '@recording-request/kit/tls-files';
import { measureRequest } from '@recording-request/kit-telemetry/peers';
import { type RunningSpan, startSpan } from '@recording-request/kit-telemetry/span';
import { subjectOfKey } from '@recording-request/kit-telemetry/subject';
import type { ByteRange } from '../domain/byte-range.ts';
import type { ResponseBody } from './store/response-body.ts';
import { StoreClient } from './store/store-client.ts';

/**
 * Opens a presigned object and returns its `length` bytes. Returns undefined if the object no longer exists or has a
 * different size. For other faults, fails with `unavailable`, without the store's messages and headers. The source
 * fails when the store sends nothing for half a minute while a reader waits; a reader may take any time.
 */
export type OpenObject = (
  url: string,
  options: { range?: ByteRange; length: number; signal: AbortSignal },
) => Promise<ByteSource | undefined>;

type StoreSpan = RunningSpan<'store {operation}'>;
/**
 * Returns a reader with its own connections. `caFile` names the trusted authorities of a store over TLS; '' means
 * Node's default authorities.
 */
export function objectReader(caFile: string): OpenObject {
  const client = new StoreClient(tlsContext({ ca: caFile }));
  return (url, options) => openObject(client, url, options);
}

async function openObject(
  client: StoreClient,
  ...[url, { range, length, signal }]: Parameters<OpenObject>
): ReturnType<OpenObject> {
  const headers: Record<string, string> = range ? { range: `bytes=${range.start}-${range.end}` } : {};
  const target = new URL(url);
  const span = spanOf(target);
  const answered = measureRequest('store');
  const { head, body } = await client.get(target, headers, signal).catch(error => {
    answered(signal.aborted ? 'cancelled' : 'unreachable');
    span?.end(error);
    if (signal.aborted) throw new DomainError('cancelled', 'The client went away.');
    throw unreadable(error);
  });
  const { status, contentLength } = head;
  answered(status);
  span?.set({ 'http.response.status_code': status, 'http.response.body.size': contentLength });
  if (status === (range ? 206 : 200) && contentLength === length) return span ? untilEnd(body, span) : body;
  span?.end();
  body.destroy();
  if ([200, 206, 404, 416].includes(status)) return undefined;
  throw unreadable(new Error(`the object store returned ${status}`));
}

/** Returns the same bytes, and ends the span when the reader is done. */
function untilEnd(body: ResponseBody, span: StoreSpan): ByteSource {
  async function* chunks() {
    try {
      yield* body;
    } catch (error) {
      span.end(error);
      throw error;
    } finally {
      span.end();
    }
  }
  const source = chunks();
  return {
    [Symbol.asyncIterator]: () => source,
    destroy() {
      body.destroy();
      span.end();
    },
  };
}

const unreadable = (cause: unknown): DomainError =>
  new DomainError('unavailable', 'The media could not be read; try again in a moment.', { cause });

/**
 * Returns the span of one read within a request; undefined without tracing. The address's path consists of bucket and
 * key.
 */
function spanOf({ hostname, port, pathname }: URL): StoreSpan | undefined {
  const [, bucket, key] = /^\/([^/]+)\/(.*)$/.exec(decodeURIComponent(pathname)) ?? [];
  return (
    trace.getActiveSpan() &&
    startSpan('store {operation}', {
      fill: { operation: 'GetObject' },
      about: subjectOfKey(key ?? ''),
      attributes: {
        'recording.peer': 'store',
        'aws.s3.bucket': bucket,
        'server.address': hostname,
        'server.port': Number(port) || undefined,
      },
    })
  );
}
