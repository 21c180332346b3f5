import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { Client } from 'minio';
import { createObjects } from '../../src/objects.ts';

/** S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY and S3_REGION of a store. */
export type StoreEnv = Record<string, string>;

export const MiB = 1024 ** 2;
export const type = { contentType: 'application/octet-stream' };
export const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Declares a test that gets the bucket. */
export type Each = (name: string, run: (bucket: TestBucket) => Promise<void>) => void;
export type TestBucket = Awaited<ReturnType<typeof openTestBucket>>;

/** Creates a new bucket; `raw` is a client without this package's code. */
export async function openTestBucket(env: StoreEnv) {
  const { S3_ENDPOINT: endpoint = '', S3_ACCESS_KEY: accessKey = '', S3_SECRET_KEY: secretKey = '' } = env;
  const settings = {
    s3Endpoint: endpoint,
    s3AccessKey: () => accessKey,
    s3SecretKey: () => secretKey,
    s3Region: env.S3_REGION!,
    s3Bucket: `c${randomBytes(6).toString('hex')}`,
  };
  const objects = createObjects(settings);
  // When two processes start at once, both succeed.
  await Promise.all([objects.ensureBucket(), createObjects(settings).ensureBucket()]);
  await objects.ensureBucket();
  const { hostname, port } = new URL(endpoint);
  const raw = new Client({
    endPoint: hostname,
    port: Number(port),
    useSSL: false,
    accessKey,
    secretKey,
    region: settings.s3Region,
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
      const { uploads } = await raw.listIncompleteUploadsQuery(settings.s3Bucket, '', '', '', '');
      return uploads.map(upload => upload.key);
    },
    async keys(prefix: string): Promise<string[]> {
      return (await Array.fromAsync(objects.list(prefix))).map(({ key }) => key);
    },
    async clear() {
      await objects.endOpenPuts(new Date(Date.now() + 60_000));
      await objects.remove(await this.keys(''));
      await raw.removeBucket(settings.s3Bucket);
    },
  };
}

/** Returns `bytes` as a stream in pieces. The length of the stream is not declared. */
export const streamOf = (bytes: Buffer, piece = 64 * 1024): Readable =>
  Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
    })(),
    { objectMode: false },
  );

/** Starts a proxy to the store that applies `change` to each piece that the store sends. */
export async function wayTo(endpoint: string, change: (piece: Buffer) => Buffer) {
  const { hostname, port } = new URL(endpoint);
  const open = new Set<Socket>();
  const server = createServer(near => {
    const far = connect(Number(port), hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on('error', () => {}).once('close', () => other.destroy());
    }
    near.on('data', piece => far.write(change(piece as Buffer)));
    far.pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
