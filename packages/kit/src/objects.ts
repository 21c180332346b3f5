import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Readable } from 'node:stream';
import { Client } from 'minio';
import { bounded } from './bounds.ts';
import { purging } from './objects-purge.ts';

/** One bucket of an S3 store. Keys are without the bucket. */
export interface Objects {
  ensureBucket(): Promise<void>;
  /** Stores the whole of `body`, or nothing. `size` in bytes is needed for a stream whose length is known. */
  put(
    key: string,
    body: Buffer | Readable,
    options: { contentType: string; size?: number; signal?: AbortSignal },
  ): Promise<void>;
  /** The bytes from `offset` on, `length` of them. Rejects when there is no such object. */
  get(key: string, options?: { offset?: number; length?: number; signal?: AbortSignal }): Promise<Readable>;
  stat(key: string): Promise<{ size: number; etag: string } | undefined>;
  /** Removes what is there of `keys`. */
  remove(keys: string[]): Promise<void>;
  list(prefix: string): AsyncIterable<{ key: string; size: number }>;
  /** What is under `prefix`: objects, every version of them, and uploads in parts that were begun. */
  holdings(prefix: string): Promise<Holdings>;
  /**
   * Removes all of it for good, and looks that nothing is left; what was there. Rejects where the store keeps something.
   * `names`: what may be under the prefix as an upload in parts; some stores tell of those only by their whole name.
   */
  purge(prefix: string, names?: readonly string[]): Promise<Holdings>;
  /** An address that reads the object for `seconds`, whoever has it. */
  presignGet(key: string, seconds: number): Promise<string>;
}

/** Counts of what is stored. In a bucket without versions each object is one version. */
export interface Holdings {
  objects: number;
  versions: number;
  /** Of all versions. */
  bytes: number;
}

const REQUEST_MS = 30_000;
const IDLE_MS = 60_000;
// Also what a stream of unknown pace holds in memory.
const PART_BYTES = 8 * 1024 * 1024;

export function createObjects(options: {
  endpoint: string;
  accessKey: string;
  secretKey: string;
  region: string;
  bucket: string;
}): Objects {
  const { bucket, region } = options;
  const endpoint = new URL(options.endpoint);
  const secure = endpoint.protocol === 'https:';
  const agentOptions = { keepAlive: true, maxSockets: 128, timeout: IDLE_MS };
  const client = new Client({
    endPoint: endpoint.hostname,
    port: endpoint.port ? Number(endpoint.port) : secure ? 443 : 80,
    useSSL: secure,
    accessKey: options.accessKey,
    secretKey: options.secretKey,
    region,
    pathStyle: true,
    partSize: PART_BYTES,
    transportAgent: secure ? new SecureAgent(agentOptions) : new Agent(agentOptions),
  });
  return {
    async ensureBucket() {
      if (await bounded(client.bucketExists(bucket), REQUEST_MS, 'looking for the bucket')) return;
      await bounded(client.makeBucket(bucket, region), REQUEST_MS, 'making the bucket').catch(error => {
        if (!/^BucketAlready/.test((error as { code?: string }).code ?? '')) throw error;
      });
    },
    async put(key, body, { contentType, size, signal }) {
      const length = Buffer.isBuffer(body) ? body.length : size;
      const sending = client.putObject(bucket, key, body, length, { 'Content-Type': contentType });
      if (Buffer.isBuffer(body)) return void (await bounded(sending, REQUEST_MS, 'storing an object', signal));
      const stop = () => body.destroy(new Error('storing an object was stopped'));
      signal?.addEventListener('abort', stop, { once: true });
      try {
        await sending;
      } finally {
        signal?.removeEventListener('abort', stop);
      }
    },
    async get(key, { offset = 0, length, signal } = {}) {
      const opening =
        offset === 0 && length === undefined
          ? client.getObject(bucket, key)
          : client.getPartialObject(bucket, key, offset, length);
      const stream = await bounded(opening, REQUEST_MS, 'opening an object', signal);
      signal?.addEventListener('abort', () => stream.destroy(signal.reason as Error), { once: true });
      return stream;
    },
    async stat(key) {
      try {
        const { size, etag } = await bounded(client.statObject(bucket, key), REQUEST_MS, 'looking at an object');
        return { size, etag };
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async remove(keys) {
      // 1,000 is what one request may name.
      for (let at = 0; at < keys.length; at += 1_000)
        await bounded(client.removeObjects(bucket, keys.slice(at, at + 1_000)), REQUEST_MS, 'removing objects');
    },
    async *list(prefix) {
      for await (const item of client.listObjectsV2(bucket, prefix, true))
        if (item.name !== undefined) yield { key: item.name, size: item.size };
    },
    ...purging(client, bucket),
    presignGet: (key, seconds) => client.presignedGetObject(bucket, key, seconds),
  };
}

/** Whether an error of the store says that the object is not there. */
export const isMissing = (error: unknown): boolean =>
  /^(NotFound|NoSuchKey)$/.test((error as { code?: string } | null)?.code ?? '');
