import { createHash, randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { curl, type Transfer } from '../load/curl.ts';
import { startGoProxy } from '../peers/go.ts';
import { startNginx } from '../peers/nginx.ts';
import { clipOf } from '../product/clips.ts';
import { startOffloadProduct } from '../product/offload-product.ts';
import { bearer, createProject, type File, landClip, type Product } from '../product/product.ts';
import { openStores } from '../product/stores.ts';
import { type Bench, controlPair, expectEqual, PRODUCT, type Prepared, type Row, selfComparison } from '../row.ts';
import { loopSample, partOf } from '../sample.ts';
import type { Sample } from '../stats/rounds.ts';

/** The number of turns in a round. A pause of the machine then affects more than one variant. */
const TURNS = 3;
const TURN = 1 / TURNS;
const NGINX = 'nginx';
const GO = 'Go proxy';
const OFFLOADED = 'product, nginx sends';
const RANGE_BYTES = 1_000_000;
/** The number of downloads in one curl process, so that the start of curl has little effect. */
const WHOLES_AT_ONCE = 4;
const RANGES_AT_ONCE = 50;

/**
 * An owner downloads a video over one connection, whole and in ranges. The peers serve the same object. With
 * MEDIA_OFFLOAD, nginx runs in front of the store and the gateway.
 */
export const videoOut: Row = {
  name: '3',
  title: '100 MB out; 1 MB range',
  needs: ['media', 'curl', 'nginx', 'go'],
  minutes: 8,
  turns: TURNS,
  goals: [
    { text: 'MB/s, of nginx', metric: 'rate', of: PRODUCT, to: NGINX, atLeast: 0.7 },
    { text: 'CPU, of the Go proxy', metric: 'cpuMs', of: PRODUCT, to: GO, atMost: 2 },
    { text: '1 MB ranges a second, of nginx', metric: 'ranges', of: PRODUCT, to: NGINX, atLeast: 0.7 },
    { text: 'MEDIA_OFFLOAD: MB/s, of nginx', metric: 'rate', of: OFFLOADED, to: NGINX, atLeast: 0.9 },
  ],
  self: selfComparison('rate', 'cpuMs', 'ranges'),
  async prepare(bench, stack): Promise<Prepared> {
    const turn = partOf(bench, TURN);
    const { product, peers, scale } = turn;
    const file = await clipOf(scale.largeBytes);
    const plain = await landed(bench, product, file, stack);
    const { signed, size } = plain;
    const signedAt = (peer: { url: string }) => `${peer.url}${signed.pathname}${signed.search}`;
    const sums = [await sumsOf(bench, { url: signed.href }), await sumsOf(bench, plain.request)];
    const variants: Record<string, () => Promise<Sample>> = {
      ...controlPair(sampleOf(turn, plain.request, size, plain.counted)),
    };
    const add = async (name: string, peer: { url: string }, counted: number[]) => {
      const other = { url: signedAt(peer) };
      sums.push(await sumsOf(bench, other));
      variants[name] = sampleOf(turn, other, size, counted);
    };
    const store = product.serversEnv.S3_ENDPOINT!;
    if (peers.nginx) await add(NGINX, stack.use(await startNginx(peers.nginx, peers.place, store)), []);
    if (peers.go) {
      const proxy = stack.use(await startGoProxy(peers.go, peers.place, store));
      await add(GO, proxy, [proxy.pid]);
    }
    for (const sum of sums) expectEqual('the bytes of the whole and of a range', sum, sums[0]);
    if (peers.nginx) {
      const offload = await startOffloadProduct(bench, stack);
      const behind = await landed(bench, offload, file, stack);
      const front = { ...behind.request, url: behind.request.url.replace(offload.baseUrl, offload.frontUrl) };
      const stored = await sumsOf(bench, { url: behind.signed.href });
      expectEqual('the bytes of the whole and of a range that nginx sends', await sumsOf(bench, front), stored);
      variants[OFFLOADED] = sampleOf(turn, front, behind.size, []);
    }
    return variants;
  },
};

/** Lands a large video. Returns its owner's request and its signed address in the store. */
async function landed(bench: Bench, product: Product, file: File, stack: AsyncDisposableStack) {
  const { gateway, submissions } = product.services;
  const project = await createProject(product, 'A large video', { maxDurationSec: 600 });
  const { submissionId } = await landClip(product, project, file, bench.signal);
  const stores = stack.use(await openStores(product));
  const { key, size } = await stores.videoOf(submissionId);
  const url = `${product.baseUrl}/api/projects/${project.projectId}/submissions/${submissionId}/video`;
  return {
    size,
    signed: new URL(await stores.readUrl(key)),
    request: { url, headers: bearer(product) },
    counted: [gateway.pid, submissions.pid],
  };
}

/** Returns the SHA-256 of the whole video and of a range with odd bounds. */
async function sumsOf({ dir, signal }: Bench, request: Transfer): Promise<string[]> {
  const [whole, range] = [join(dir, 'whole'), join(dir, 'range')];
  await curl([{ ...request, output: whole }], { signal });
  await curl([{ ...request, headers: { ...request.headers, range: 'bytes=12345-67890' }, output: range }], {
    signal,
    wanted: [206],
  });
  const [all, part] = await Promise.all([whole, range].map(path => readFile(path)));
  expectEqual('the length of a range', part!.length, 55_546);
  return [all!, part!].map(bytes => createHash('sha256').update(bytes).digest('hex'));
}

/**
 * Returns a function that takes a sample. Without `counted` processes, a sample ends when it is long enough for the
 * rate.
 */
function sampleOf(bench: Bench, request: Transfer, size: number, counted: number[]) {
  const { signal } = bench;
  const wholes = Array.from({ length: WHOLES_AT_ONCE }, () => request);
  const whole = async () => {
    const answers = await curl(wholes, { signal });
    for (const { bytesIn } of answers) expectEqual('the bytes of a download', bytesIn, size);
  };
  const range = async () => {
    const requests = Array.from({ length: RANGES_AT_ONCE }, () => {
      const from = randomInt(size - RANGE_BYTES);
      return { ...request, headers: { ...request.headers, range: `bytes=${from}-${from + RANGE_BYTES - 1}` } };
    });
    for (const { bytesIn } of await curl(requests, { signal, wanted: [206] }))
      expectEqual('the bytes of a range', bytesIn, RANGE_BYTES);
  };
  return async (): Promise<Sample> => {
    const units = (WHOLES_AT_ONCE * size) / 1e6;
    const uncounted = { ...bench, scale: { ...bench.scale, minTicks: 0 } };
    const plan = { counted, lanes: 1 };
    const out = await loopSample(counted.length > 0 ? bench : uncounted, { ...plan, work: whole, units });
    const ranges = await loopSample(uncounted, { ...plan, work: range, units: RANGES_AT_ONCE });
    return {
      metrics: { ...out.metrics, ranges: ranges.metrics.rate! },
      machine: {
        all: out.machine.all + ranges.machine.all,
        foreign: out.machine.foreign + ranges.machine.foreign,
        stolen: out.machine.stolen + ranges.machine.stolen,
      },
    };
  };
}
