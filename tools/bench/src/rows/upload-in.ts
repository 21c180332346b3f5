import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { curl } from '../load/curl.ts';
import { startGoProxy } from '../peers/go.ts';
import { startTusPeer } from '../peers/tus.ts';
import { clipOf } from '../product/clips.ts';
import { createProject, createUpload, type File, PATCH, readyClips, sendUpload } from '../product/product.ts';
import { openStores, type Stores } from '../product/stores.ts';
import { type Bench, expectEqual, itself, PRODUCT, type Prepared, type Row, twice } from '../row.ts';
import { timed } from '../sample.ts';
import type { Sample } from '../stats/rounds.ts';

const TUS = '@tus/server';
const GO = 'Go proxy';
const BYTES = 'product, all but the last byte';

/**
 * A contributor sends 100 MB in one request. The time counts until the acknowledgement, which the product sends after the clip has
 * landed. Nothing lands at the peers, so the time until all bytes but the last are acknowledged is shown too. Each sample waits for
 * the media of its clip.
 */
export const uploadIn: Row = {
  name: '4',
  title: '100 MB in, acknowledged',
  needs: ['media', 'curl', 'tus', 'go'],
  minutes: 2,
  goals: [
    { text: 'MB/s, of @tus/server with @tus/s3-store', metric: 'rate', of: PRODUCT, to: TUS, atLeast: 1 },
    { text: 'MB/s, of the Go proxy', metric: 'rate', of: PRODUCT, to: GO },
    { text: 'MB/s without the landing, of @tus/server', metric: 'rate', of: BYTES, to: TUS },
    { text: 'MB/s without the landing, of the Go proxy', metric: 'rate', of: BYTES, to: GO },
  ],
  self: itself('rate'),
  async prepare(bench, stack): Promise<Prepared> {
    const { product, peers, scale } = bench;
    const file = await clipOf(scale.largeBytes);
    const stores = stack.use(await openStores(product));
    const own = productSample(bench, file, await withoutLastByte(file, bench.dir));
    const variants: Record<string, () => Promise<Sample>> = { ...twice(own.sample), [BYTES]: own.bytesSample };
    const sha256 = await sha256Of(file.path);
    for (const found of [await own.sha256(), await own.bytesSha256()])
      expectEqual('the SHA-256 that the product has of an upload', found, sha256);
    if (peers.tus) {
      const store = { ...product.serversEnv, S3_BUCKET: product.bucket };
      const tus = stack.use(await startTusPeer(peers.tus, peers.place, store));
      variants[TUS] = await tusSample(bench, stores, tus.url, file);
    }
    if (peers.go) {
      const proxy = stack.use(await startGoProxy(peers.go, peers.place, product.serversEnv.S3_ENDPOINT!));
      variants[GO] = await proxySample(bench, stores, proxy.url, file);
    }
    return variants;
  },
};

const mbPerSecond = (file: File, seconds: number) => ({ rate: file.bytes / 1e6 / seconds });

/** `most` is the file without its last byte. */
function productSample(bench: Bench, file: File, most: File) {
  const { product, signal } = bench;
  // Each upload has its own project, so that the wait for its media reads only one clip.
  const send = async (timedFile: File) => {
    const project = await createProject(product, 'An upload', { maxDurationSec: 600 });
    const url = await createUpload(product, project.sharedLink!.recipientUrl, file);
    const sample = await timed(bench, async () => mbPerSecond(timedFile, await sendUpload(url, timedFile, signal)));
    if (timedFile !== file) await sendLastByte(url, file, signal);
    const [clip] = await readyClips(product, project.projectId, 1, signal);
    return { sample, clip: clip! };
  };
  return {
    sample: async () => (await send(file)).sample,
    bytesSample: async () => (await send(most)).sample,
    sha256: async () => (await send(file)).clip.sha256,
    bytesSha256: async () => (await send(most)).clip.sha256,
  };
}

async function withoutLastByte(file: File, dir: string): Promise<File> {
  const path = join(dir, 'without-last-byte');
  const bytes = file.bytes - 1;
  await copyFile(file.path, path);
  await truncate(path, bytes);
  return { ...file, path, bytes };
}

async function sendLastByte(url: string, { path, bytes }: File, signal: AbortSignal): Promise<void> {
  await using opened = await open(path);
  const { buffer } = await opened.read(Buffer.alloc(1), 0, 1, bytes - 1);
  const headers = { ...PATCH, 'upload-offset': String(bytes - 1) };
  const answer = await fetch(url, { method: 'PATCH', headers, body: buffer, signal });
  await answer.body?.cancel();
  expectEqual('the last byte is taken', answer.ok, true);
}

async function tusSample(bench: Bench, stores: Stores, origin: string, file: File): Promise<() => Promise<Sample>> {
  const { signal } = bench;
  const send = async () => {
    const created = await fetch(`${origin}/files`, {
      method: 'POST',
      headers: { 'tus-resumable': '1.0.0', 'upload-length': String(file.bytes) },
      signal,
    });
    expectEqual('how @tus/server creates an upload', created.status, 201);
    const url = new URL(created.headers.get('location')!, origin).href;
    const sample = await timed(bench, async () => {
      const request = { url, method: 'PATCH', headers: PATCH, upload: file.path };
      const [answer] = await curl([request], { signal, wanted: [204] });
      return mbPerSecond(file, answer!.seconds);
    });
    return { sample, key: new URL(url).pathname.split('/').at(-1)! };
  };
  const remove = async (key: string) => stores.remove([key, `${key}.info`]);
  const { key } = await send();
  await expectStored(stores, key, file);
  await remove(key);
  return async () => {
    const { sample, key } = await send();
    await remove(key);
    return sample;
  };
}

async function proxySample(bench: Bench, stores: Stores, origin: string, file: File): Promise<() => Promise<Sample>> {
  const { signal } = bench;
  const key = 'bench/upload';
  const send = async () => {
    const signed = new URL(await stores.writeUrl(key));
    const url = `${origin}${signed.pathname}${signed.search}`;
    return timed(bench, async () => {
      const [answer] = await curl([{ url, upload: file.path }], { signal });
      return mbPerSecond(file, answer!.seconds);
    });
  };
  await send();
  await expectStored(stores, key, file);
  return async () => {
    const sample = await send();
    await stores.remove([key]);
    return sample;
  };
}

/** Fails unless the store has the bytes of the file under this key. */
async function expectStored(stores: Stores, key: string, file: File): Promise<void> {
  const answer = await fetch(await stores.readUrl(key));
  const hash = createHash('sha256');
  await pipeline(answer.body!, hash);
  expectEqual(`the SHA-256 of what is stored as ${key}`, hash.digest('hex'), await sha256Of(file.path));
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
