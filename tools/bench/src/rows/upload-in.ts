import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { curl } from '../load/curl.ts';
import { startTusPeer } from '../peers/tus.ts';
import { clipOf } from '../product/clips.ts';
import { createProject, createUpload, type File, PATCH, readyClips, sendUpload } from '../product/product.ts';
import { openStores, type Stores } from '../product/stores.ts';
import { type Bench, controlPair, expectEqual, PRODUCT, type Prepared, type Row, selfComparison } from '../row.ts';
import { timed } from '../sample.ts';
import type { Sample } from '../stats/rounds.ts';

const TUS = '@tus/server';

/**
 * A contributor sends 100 MB in one request. The time ends with the acknowledgement, which the product sends after the
 * clip has landed. The peer only stores the bytes. Each sample waits for the media of its clip.
 */
export const uploadIn: Row = {
  name: '4',
  title: '100 MB in, acknowledged',
  needs: ['media', 'curl', 'tus'],
  minutes: 2,
  goals: [{ text: 'MB/s, of @tus/server with @tus/s3-store', metric: 'rate', of: PRODUCT, to: TUS, atLeast: 1 }],
  self: selfComparison('rate'),
  async prepare(bench, stack): Promise<Prepared> {
    const { product, peers, scale } = bench;
    const file = await clipOf(scale.largeBytes);
    const stores = stack.use(await openStores(product));
    const { clip } = await sendOwn(bench, file);
    expectEqual('the product’s SHA-256 of an upload', clip.sha256, await sha256Of(file.path));
    const variants = controlPair(async () => (await sendOwn(bench, file)).sample);
    if (!peers.tus) return variants;
    const store = { ...product.serversEnv, S3_BUCKET: product.bucket };
    const tus = stack.use(await startTusPeer(peers.tus, peers.place, store));
    return { ...variants, [TUS]: await tusSample(bench, stores, tus.url, file) };
  },
};

const mbPerSecond = (file: File, seconds: number) => ({ rate: file.bytes / 1e6 / seconds });

async function sendOwn(bench: Bench, file: File) {
  const { product, signal } = bench;
  // Each upload has a separate project, so that the wait for its media reads only one clip.
  const project = await createProject(product, 'An upload', { maxDurationSec: 600 });
  const url = await createUpload(product, project.sharedLink!.recipientUrl, file);
  const sample = await timed(bench, async () => mbPerSecond(file, await sendUpload(url, file, signal)));
  const [clip] = await readyClips(product, project.projectId, 1, signal);
  return { sample, clip: clip! };
}

async function tusSample(bench: Bench, stores: Stores, origin: string, file: File): Promise<() => Promise<Sample>> {
  const { signal } = bench;
  const send = async () => {
    const created = await fetch(`${origin}/files`, {
      method: 'POST',
      headers: { 'tus-resumable': '1.0.0', 'upload-length': String(file.bytes) },
      signal,
    });
    expectEqual('the status of @tus/server for a new upload', created.status, 201);
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

/** Fails unless the store has the bytes of the file under this key. */
async function expectStored(stores: Stores, key: string, file: File): Promise<void> {
  const answer = await fetch(await stores.readUrl(key));
  const hash = createHash('sha256');
  await pipeline(answer.body!, hash);
  expectEqual(`the SHA-256 of the object ${key}`, hash.digest('hex'), await sha256Of(file.path));
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
