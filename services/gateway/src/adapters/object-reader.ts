import { trace } from '@opentelemetry/api';
import { DomainError } from '@recording-request/kit/errors';
import { bodyOf } from '@recording-request/kit/objects/http/body';
import { StoreConnections } from '@recording-request/kit/objects/http/connections';
import type { ByteSource } from '@recording-request/kit/objects/resumed-read';
import { askPeer } from '@recording-request/kit/telemetry/peers';
import { type RunningSpan, startSpan } from '@recording-request/kit/telemetry/span';
import { subjectOfKey } from '@recording-request/kit/telemetry/subject';
import { tlsContext } from '@recording-request/kit/tls-files';
import type { ByteRange } from '../domain/byte-range.ts';

/**
 * Opens a presigned object and returns its `length` bytes; each chunk is its reader's until the next is asked for. Returns
 * undefined when the object is not there any more or has another size, and fails with `unavailable` otherwise; the store's
 * own messages and headers stay inside. Once it flows, its pace is the client's: only the client's connection has an idle
 * time-out.
 */
export type OpenObject = (
  url: string,
  options: { range?: ByteRange; length: number; signal: AbortSignal },
) => Promise<ByteSource | undefined>;

type StoreSpan = RunningSpan<'store {operation}'>;

/** Returns what reads objects over connections of its own. `caFile` has the authorities that vouch for a store over TLS; '' for Node's. */
export function objectReader(caFile: string): OpenObject {
  const connections = new StoreConnections(tlsContext({ ca: caFile }));
  return (url, options) => openObject(connections, url, options);
}

async function openObject(
  connections: StoreConnections,
  ...[url, { range, length, signal }]: Parameters<OpenObject>
): ReturnType<OpenObject> {
  const headers: Record<string, string> = range ? { range: `bytes=${range.start}-${range.end}` } : {};
  const target = new URL(url);
  const span = spanOf(target);
  const answered = askPeer('store');
  const { head, connection } = await connections.get(target, headers, signal).catch(error => {
    answered(signal.aborted ? 'cancelled' : 'unreachable');
    span?.end(error);
    if (signal.aborted) throw new DomainError('cancelled', 'The client went away.');
    throw new DomainError('unavailable', 'The media could not be read; try again in a moment.', { cause: error });
  });
  const { status, contentLength } = head;
  answered(status);
  span?.set({ 'http.response.status_code': status, 'http.response.body.size': contentLength });
  if (status === (range ? 206 : 200) && contentLength === length) return bodyOf(connection, signal, () => span?.end());
  span?.end();
  connection.giveUp();
  if (status === 200 || status === 206 || status === 404 || status === 416) return undefined;
  const cause = new Error(`the object store answered ${status}`);
  throw new DomainError('unavailable', 'The media could not be read; try again in a moment.', { cause });
}

/** The span of one reading, within a request's; undefined where nothing is traced. A presigned address has its key in its path, behind the bucket. */
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
