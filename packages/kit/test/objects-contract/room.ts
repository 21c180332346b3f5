import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { Client } from 'minio';
import { createObjects } from '../../src/objects.ts';

/** S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY and S3_REGION of a store. */
export type StoreEnv = Record<string, string>;

export const MiB = 1024 ** 2;
export const type = { contentType: 'application/octet-stream' };
export const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Declares a test in the store's room. */
export type Each = (name: string, run: (room: Room) => Promise<void>) => void;
export type Room = Awaited<ReturnType<typeof roomIn>>;

/** A bucket of its own, and eyes that see what the store has. */
export async function roomIn(env: StoreEnv) {
  const { S3_ENDPOINT: endpoint = '', S3_ACCESS_KEY: accessKey = '', S3_SECRET_KEY: secretKey = '' } = env;
  const settings = {
    endpoint,
    accessKey,
    secretKey,
    region: env.S3_REGION!,
    bucket: `c${randomBytes(6).toString('hex')}`,
  };
  const objects = createObjects(settings);
  // Of two processes that start at once, both go on.
  await Promise.all([objects.ensureBucket(), createObjects(settings).ensureBucket()]);
  await objects.ensureBucket();
  const { hostname, port } = new URL(endpoint);
  const raw = new Client({
    endPoint: hostname,
    port: Number(port),
    useSSL: false,
    ...settings,
  });
  return {
    objects,
    settings,
    raw,
    async read(key: string, range?: { offset?: number; length?: number }): Promise<Buffer> {
      const chunks: Buffer[] = [];
      for await (const chunk of await objects.get(key, range)) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    },
    async openUploads(): Promise<string[]> {
      const { uploads } = await raw.listIncompleteUploadsQuery(settings.bucket, '', '', '', '');
      return uploads.map(upload => upload.key);
    },
    async keys(prefix: string): Promise<string[]> {
      return (await Array.fromAsync(objects.list(prefix))).map(({ key }) => key);
    },
    async clear() {
      await objects.endOpenPuts(new Date(Date.now() + 60_000));
      await objects.remove(await this.keys(''));
      await raw.removeBucket(settings.bucket);
    },
  };
}

/** `bytes` in pieces, so that it has no length of its own. */
export const streamOf = (bytes: Buffer, piece = 64 * 1024): Readable =>
  Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
    })(),
    { objectMode: false },
  );
