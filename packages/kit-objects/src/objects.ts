import { Agent, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Readable } from 'node:stream';
import { tlsContext } from '@recording-request/kit/tls-files';
import { Client, type ClientOptions } from 'minio';
import { type Bucket, bucketOf } from './bucket.ts';
import { wholePuts } from './checksum.ts';
import { type Copies, copiesOf } from './copies.ts';
import { endOpenUploads, putStream } from './multipart.ts';
import { type Dated, type Listed, type Purging, purging } from './purge.ts';
import { objectsTransport, runRequest } from './requests.ts';
import { roleCredentials, unwrapped } from './role.ts';
import { roleSource } from './role-source.ts';
import { tracedObjects } from './spans.ts';
import type { ObjectSettings } from './variables.ts';
import { type Versions, versionsOf } from './versions.ts';

export type { ObjectSettings };

/**
 * One bucket of an S3 store. A key consists of segments of 1 to 255 bytes of UTF-8 between slashes. No segment is `.`
 * or `..`, and no key is a folder of another key, because some stores keep each object as a file. A key has no `%`, `+`
 * or quotes, because stores list these differently.
 */
export interface Objects extends Bucket, Purging {
  /** Stores all of `body`, or nothing. Refuses a stream that does not have `size` bytes. */
  put(
    key: string,
    body: Buffer | Readable,
    options: { contentType: string; size?: number; metadata?: Record<string, string>; signal?: AbortSignal },
  ): Promise<void>;
  /**
   * Streams `length` bytes (at least 1; by default all) from `offset`. Rejects if the object or range does not exist. The stream fails if
   * the store sends nothing for a minute; the reader may take any time.
   */
  get(key: string, options?: { offset?: number; length?: number; signal?: AbortSignal }): Promise<Readable>;
  stat(key: string): Promise<{ size: number; etag: string } | undefined>;
  /** Removes the objects with these keys; ignores keys without an object. Rejects if an object remains. */
  remove(keys: string[]): Promise<void>;
  list(prefix: string): AsyncIterable<Listed>;
  /**
   * Lists at most 1,000 objects under `prefix` after the key `after`, in the order of keys. `isLast` is true if no
   * objects follow.
   */
  listPage(prefix: string, after: string): Promise<{ objects: Dated[]; isLast: boolean }>;
  /**
   * Returns a URL that lets anyone read the object for `seconds`. With temporary credentials, the URL may expire earlier,
   * but not within the next five minutes.
   */
  presignGet(key: string, seconds: number): Promise<string>;
  /**
   * Aborts the multipart uploads under `prefix` that began before `before`, because their processes have died. Returns
   * their number.
   */
  endOpenPuts(before: Date, prefix?: string): Promise<number>;
}

/** A bucket with the operations of a backup. */
export interface Store extends Objects, Copies, Versions {}

// The time limit of one request. A request sends at most one part of a stream.
const REQUEST_MS = 30_000;
const IDLE_MS = 60_000;
// Shorter than the idle timeout of stores. MinIO's timeout is 30 s.
const REST_MS = 10_000;
const CONNECTIONS = 128;
// So large that the client never splits a body: `putStream` splits it.
const WHOLE_BYTES = 5 * 1024 ** 3;
const LIST_PAGE = 1_000;
const REMOVE_AT_ONCE = 1_000;

/**
 * Opens the bucket of the settings, with a separate pool of `connections`. A request may take `requestMs` milliseconds,
 * including the wait for a connection.
 */
export function createObjects(
  settings: ObjectSettings,
  { requestMs = REQUEST_MS, connections = CONNECTIONS } = {},
): Store {
  const { s3Bucket: bucket } = settings;
  const client = clientOf(settings, connections);
  const store = { client, bucket, requestMs };
  const putWhole = wholePuts(store);
  const run = <T>(work: () => Promise<T>, what: string, signal?: AbortSignal) =>
    runRequest(work, requestMs, what, signal);
  async function* list(prefix: string): AsyncIterable<Listed> {
    for (let token = ''; ; ) {
      const page = await run(
        () => client.listObjectsV2Query(bucket, prefix, token, '', LIST_PAGE, ''),
        'listing objects',
      );
      for (const { name, size } of page.objects) if (name !== undefined) yield { key: name, size };
      if (!page.isTruncated) return;
      token = page.nextContinuationToken;
    }
  }
  async function get(
    key: string,
    { offset = 0, length, signal }: { offset?: number; length?: number; signal?: AbortSignal | undefined } = {},
  ): Promise<Readable> {
    if (length !== undefined && length < 1) throw new RangeError('an object is read at least one byte at a time');
    const open = () => client.getPartialObject(bucket, key, offset, length ?? 0);
    const answer = (await run(open, 'opening an object', signal)) as IncomingMessage;
    const stop = () => void answer.destroy(signal?.reason as Error);
    signal?.addEventListener('abort', stop, { once: true });
    answer.once('close', () => signal?.removeEventListener('abort', stop));
    breakSilence(answer, IDLE_MS);
    return answer;
  }
  const objects: Store = {
    ...bucketOf(client, settings, requestMs),
    async put(key, body, { contentType, size, metadata, signal }) {
      if (!isKey(key)) throw new RangeError('not every store can keep an object under this key');
      if (Buffer.isBuffer(body)) return putWhole({ key, body, contentType, metadata, signal });
      await putStream({ ...store, putWhole, key, body, contentType, metadata, size, signal });
    },
    get,
    async stat(key) {
      try {
        const { size, etag } = await run(() => client.statObject(bucket, key), 'reading the details of an object');
        return { size, etag };
      } catch (error) {
        if (!isMissing(error)) throw error;
        // A response without a body does not distinguish a missing object from a missing bucket or an unknown user; the
        // response to a listing does.
        await run(() => client.listObjectsV2Query(bucket, key, '', '', 1, ''), 'reading the details of an object');
        return undefined;
      }
    },
    async remove(keys) {
      for (let at = 0; at < keys.length; at += REMOVE_AT_ONCE) {
        const some = keys.slice(at, at + REMOVE_AT_ONCE);
        // The client's types declare { Error: { Code } }, but the value is { Code }.
        const refused: unknown[] = await run(() => client.removeObjects(bucket, some), 'removing objects');
        const faults = refused.filter(each => !isMissing({ code: (each as { Code?: string }).Code }));
        if (faults.length > 0) throw new Error('the store did not remove every object', { cause: faults[0] });
      }
    },
    list,
    async listPage(prefix, after) {
      const page = await run(
        () => client.listObjectsV2Query(bucket, prefix, '', '', LIST_PAGE, after),
        'listing objects',
      );
      const objects: Dated[] = [];
      for (const { name, size, lastModified } of page.objects)
        if (name !== undefined) objects.push({ key: name, size, modifiedAt: new Date(lastModified) });
      // A store that returns the same page again must not cause an endless loop.
      if (after !== '' && objects.some(({ key }) => key === after))
        throw new Error('the object store does not list from a given key');
      return { objects, isLast: !page.isTruncated || objects.length === 0 };
    },
    ...purging(store),
    ...copiesOf(store),
    ...versionsOf(store),
    presignGet: (key, seconds) =>
      client.presignedGetObject(bucket, key, seconds).catch(error => {
        throw unwrapped(error);
      }),
    endOpenPuts: (before, prefix = '') => endOpenUploads(store, { before, prefix }),
  };
  return tracedObjects(objects, settings);
}

function clientOf(settings: ObjectSettings, connections: number): Client {
  const endpoint = new URL(settings.s3Endpoint);
  const secure = endpoint.protocol === 'https:';
  const agent = { keepAlive: true, maxSockets: connections, timeout: REST_MS };
  return new Client({
    endPoint: endpoint.hostname,
    port: endpoint.port ? Number(endpoint.port) : secure ? 443 : 80,
    useSSL: secure,
    region: settings.s3Region,
    pathStyle: true,
    partSize: WHOLE_BYTES,
    transport: objectsTransport(secure ? tlsContext({ ca: settings.s3CaFile ?? '' }) : undefined),
    transportAgent: secure ? new SecureAgent(agent) : new Agent(agent),
    credentialsProvider: currentCredentials(settings),
  });
}

/**
 * Returns a provider of credentials for the client. It has only the method that the client calls, before each request.
 */
function currentCredentials(settings: ObjectSettings): ClientOptions['credentialsProvider'] {
  const { s3AccessKey, s3SecretKey } = settings;
  const keys = { getAccessKey: s3AccessKey, getSecretKey: s3SecretKey, getSessionToken: () => undefined };
  // Keys are read again for each request, because their files may have been replaced.
  if (settings.s3Credentials !== 'role') return provider(async () => keys);
  const current = roleCredentials(roleSource(settings.s3Region));
  return provider(async () => {
    const { accessKeyId, secretAccessKey, sessionToken } = await current();
    return {
      getAccessKey: () => accessKeyId,
      getSecretKey: () => secretAccessKey,
      getSessionToken: () => sessionToken,
    };
  });
}

const provider = (getCredentials: () => Promise<object>) =>
  ({ getCredentials }) as unknown as ClientOptions['credentialsProvider'];

/** Ends a stalled response. Only the store's silence counts; the reader may take any time. */
function breakSilence(answer: IncomingMessage, idleMs: number): void {
  let before = -1;
  const timer = setInterval(() => {
    const { bytesRead } = answer.socket;
    const readerWaits = answer.readableLength === 0;
    if (bytesRead === before && readerWaits) answer.destroy(new Error(`the store sent nothing for ${idleMs} ms`));
    before = bytesRead;
  }, idleMs).unref();
  answer.once('close', () => clearInterval(timer));
}

const SEGMENT_BYTES = 255;
const isKey = (key: string): boolean =>
  !/[%+'"\p{Cc}]/u.test(key) &&
  key.split('/').every(part => !['', '.', '..'].includes(part) && Buffer.byteLength(part) <= SEGMENT_BYTES);

const codeOf = (error: unknown): string => (error as { code?: string } | null)?.code ?? '';

/** Returns whether an error means that the object does not exist. */
export const isMissing = (error: unknown): boolean => /^(NotFound|NoSuchKey)$/.test(codeOf(error));
