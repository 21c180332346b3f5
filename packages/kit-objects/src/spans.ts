import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { context, trace } from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import { type AttributesOfSpan, type RunningSpan, startSpan } from '@recording-request/kit-telemetry/span';
import { subjectOfKey } from '@recording-request/kit-telemetry/subject';
import type { Dated, Holdings, Listed } from './purge.ts';
import type { ObjectSettings } from './variables.ts';

/** The operations of a bucket that have spans. */
interface Operations {
  put(key: string, body: Buffer | Readable, options: { contentType: string; size?: number }): Promise<void>;
  get(key: string, options?: object): Promise<Readable>;
  stat(key: string): Promise<{ size: number; etag: string } | undefined>;
  remove(keys: string[]): Promise<void>;
  list(prefix: string): AsyncIterable<Listed>;
  listPage(prefix: string, after: string): Promise<{ objects: Dated[]; isLast: boolean }>;
  holdings(prefix: string): Promise<Holdings>;
  purge(prefix: string, names?: readonly string[]): Promise<Holdings>;
}

type StoreSpan = RunningSpan<'store {operation}'>;

/**
 * Returns the same bucket with a span for each operation, if traces are on. A span has the ids in the key, never the
 * key. Single requests get no spans: an operation with one request would have two equal spans, and an object of many
 * parts would have many spans.
 */
export function tracedObjects<O extends Operations>(objects: O, { s3Bucket, s3Endpoint }: ObjectSettings): O {
  const { hostname, port, protocol } = new URL(s3Endpoint);
  const where = {
    'recording.peer': 'store',
    'aws.s3.bucket': s3Bucket,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
  };
  const begin = (operation: string, key: string, attributes: AttributesOfSpan<'store {operation}'> = {}) =>
    trace.getSpan(context.active()) &&
    startSpan('store {operation}', {
      fill: { operation },
      about: subjectOfKey(key),
      attributes: { ...where, ...attributes },
    });
  const quietly = <T>(span: StoreSpan | undefined, run: () => Promise<T>): Promise<T> =>
    span ? context.with(suppressTracing(span.context), run) : run();

  async function inSpan<T>(
    span: StoreSpan | undefined,
    run: () => Promise<T>,
    found: (result: T) => AttributesOfSpan<'store {operation}'> = () => ({}),
  ): Promise<T> {
    try {
      const result = await quietly(span, run);
      span?.set(found(result));
      span?.end();
      return result;
    } catch (error) {
      span?.end(error);
      throw error;
    }
  }

  const traced: Operations = {
    put(key, body, options) {
      const bytes = Buffer.isBuffer(body) ? body.length : options.size;
      const span = begin('PutObject', key, { 'http.request.body.size': bytes });
      return inSpan(span, () => objects.put(key, body, options));
    },
    async get(key, options) {
      const span = begin('GetObject', key);
      try {
        const body = await quietly(span, () => objects.get(key, options));
        if (span) endWith(body, span);
        return body;
      } catch (error) {
        span?.end(error);
        throw error;
      }
    },
    stat: key =>
      inSpan(
        begin('HeadObject', key),
        () => objects.stat(key),
        found => ({ 'http.response.status_code': found ? 200 : 404 }),
      ),
    remove(keys) {
      const span = keys.length > 0 ? begin('DeleteObjects', keys[0]!, { 'recording.objects': keys.length }) : undefined;
      return inSpan(span, () => objects.remove(keys));
    },
    listPage: (prefix, after) =>
      inSpan(
        begin('ListObjectsV2', prefix),
        () => objects.listPage(prefix, after),
        page => ({ 'recording.objects': page.objects.length }),
      ),
    async *list(prefix) {
      const span = begin('ListObjectsV2', prefix);
      let count = 0;
      try {
        const each = objects.list(prefix)[Symbol.asyncIterator]();
        for (;;) {
          const next = await quietly(span, () => each.next());
          if (next.done) break;
          count += 1;
          yield next.value;
        }
        span?.set({ 'recording.objects': count });
        span?.end();
      } catch (error) {
        span?.end(error);
        throw error;
      } finally {
        // The reader may stop before the last object.
        span?.end();
      }
    },
    holdings: prefix =>
      inSpan(
        begin('ListObjectVersions', prefix),
        () => objects.holdings(prefix),
        held => ({ 'recording.objects': held.objects }),
      ),
    purge: (prefix, names) =>
      inSpan(
        begin('DeleteObjectVersions', prefix),
        () => objects.purge(prefix, names),
        gone => ({ 'recording.objects': gone.objects }),
      ),
  };
  return { ...objects, ...traced };
}

/** Ends the span at the last byte, or when the reader stops. */
function endWith(body: Readable, span: StoreSpan): void {
  const { headers } = body as Partial<IncomingMessage>;
  const bytes = Number(headers?.['content-length']);
  if (Number.isFinite(bytes)) span.set({ 'http.response.body.size': bytes });
  body.once('close', () => span.end(body.errored ?? undefined));
}
