import { stat } from 'node:fs/promises';
import { makeClip } from '@recording-request/fixtures/clip';
import type { ServiceName } from '@recording-request/stack/service-plan';
import { openQuotas, type Quotas } from '../cpu/quota.ts';
import { type Batch, progressOf } from '../load/progress.ts';
import { type Backlog, openBacklog } from '../product/backlog.ts';
import { CLIPS } from '../product/clips.ts';
import { type OwnProduct, startOwnProduct } from '../product/own-product.ts';
import { createProject, createUpload, type File, readyClips, sendUpload } from '../product/product.ts';
import { startSlowServer } from '../product/slow-server.ts';
import { startSpeechStub } from '../product/speech-stub.ts';
import { type GroupWatch, startWorker, type Worker, watchGroups } from '../product/workers.ts';
import { type Bench, expectEqual, type Prepared, type Row } from '../row.ts';
import { timed } from '../sample.ts';
import type { Goal } from '../stats/goal.ts';
import type { Sample } from '../stats/rounds.ts';

const WORKERS: ServiceName[] = ['media', 'transcription', 'webhooks'];
/**
 * The consumer groups of workers that share the partitions of a topic. Workers claim deliveries in the database
 * instead.
 */
const GROUPS = ['media', 'transcription'];
const COUNTS = [1, 2, 4];
const QUOTA_CORES = 0.2;
const LINEAR = 0.85;
const LIMIT_MS = 120_000;
/**
 * The waiting work for each worker, enough for some seconds. With less work, one period of a dispatcher or a quota
 * would affect the rate.
 */
const EACH = { media: 14, transcription: 16, webhooks: 80 };
const KEPT_SOURCE = 'bench/source';
const TEXT = 'This is what I think of it.';
const CLIP = { width: 320, height: 180, seconds: 3 };
/**
 * The default of six partitions cannot be divided evenly among four workers. With one transcript at a time, two cores
 * can do the work of four workers: the row measures how the workers share it.
 */
const ENV = { KAFKA_PARTITIONS: '24', TRANSCRIPTION_SLOTS: '1', SWEEP_SECONDS: '1', LOG_LEVEL: 'info' };

const nameOf = (count: number) => (count === 1 ? '1 worker' : `${count} workers`);
const linear = (what: string, metric: string, optional = false): Goal[] =>
  COUNTS.slice(1).map(count => ({
    text: `${what}: ${count} workers, of ${count} times one`,
    ...{ metric, of: nameOf(count), to: nameOf(1), scale: 1 / count, atLeast: LINEAR, optional },
  }));

/** Adds workers to a product with a backlog. Each kind should do proportionally more in the same time. */
export const workers: Row = {
  name: '11',
  title: 'workers 1 → 2 → 4',
  needs: ['media', 'curl'],
  minutes: 12,
  alone: true,
  goals: [
    ...linear('media, with a fifth of a core each', 'media', true),
    ...linear('transcription, the speech server takes 300 ms', 'transcription'),
    ...linear('webhooks, the receiver takes 300 ms', 'webhooks'),
    ...COUNTS.map(count => ({
      text: `lost or repeated, ${nameOf(count)}`,
      metric: 'wrong',
      of: nameOf(count),
      atMost: 0,
    })),
  ],
  self: [],
  async prepare(bench, stack): Promise<Prepared> {
    const speechCalls = { requests: 0 };
    const speech = stack.use(await startSpeechStub(() => (speechCalls.requests += 1)));
    const received = new Map<string, number>();
    const receiver = stack.use(
      await startSlowServer({ status: 204 }, headers => {
        const id = String(headers['webhook-id']);
        received.set(id, (received.get(id) ?? 0) + 1);
      }),
    );
    // Opens the quotas first, so that they are released last, after their processes have ended.
    const quotas = openQuotas();
    if (quotas) stack.use(quotas);
    const product = stack.use(await startOwnProduct(bench, 'workers', { env: { ...ENV, ...speech.env } }));
    const groups = stack.use(await watchGroups(product));
    const backlog = stack.use(await openBacklog(product));
    const templates = await prepareTemplates(bench, product, backlog, receiver.url);
    const site = { bench, product, groups, backlog, quotas, speechCalls, received, templates };
    // Runs two workers once without a measurement, to check that everything works.
    const check = await measure(site, 2, 2);
    expectEqual('work lost or repeated by two workers', check.metrics.wrong, 0);
    return Object.fromEntries(COUNTS.map(count => [nameOf(count), () => measure(site, count)]));
  },
};

interface Templates {
  landed: Awaited<ReturnType<Backlog['keepLanded']>>;
  submissionId: string;
  hookedProjectId: string;
}

interface Site {
  bench: Bench;
  product: OwnProduct;
  groups: GroupWatch;
  backlog: Backlog;
  quotas: Quotas | undefined;
  speechCalls: { requests: number };
  received: Map<string, number>;
  templates: Templates;
}

/** Makes a clip that has landed without media, the same clip with media, and an event that was delivered. */
async function prepareTemplates(
  { signal }: Bench,
  product: OwnProduct,
  backlog: Backlog,
  webhookUrl: string,
): Promise<Templates> {
  const { path, mimeType } = await makeClip({ dir: CLIPS, container: 'mp4', text: TEXT, ...CLIP });
  const file: File = { path, mimeType, bytes: (await stat(path)).size };
  const plain = await createProject(product, 'A backlog');
  await sendUpload(await createUpload(product, plain.sharedLink!.recipientUrl, file), file, signal);
  const landed = await backlog.keepLanded(plain.projectId, KEPT_SOURCE, signal);
  const [ready] = await readyClips(product, plain.projectId, 1, signal);
  const hooked = await createProject(product, 'Events', { webhookUrl });
  await sendUpload(await createUpload(product, hooked.sharedLink!.recipientUrl, file), file, signal);
  await backlog.firstDelivered(hooked.projectId, signal);
  return { landed, submissionId: ready!.submissionId, hookedProjectId: hooked.projectId };
}

/** Runs `count` workers of each kind, and adds the backlog of one kind after the other. `fewer` divides the work. */
async function measure(site: Site, count: number, fewer = 1): Promise<Sample> {
  const { bench, product, groups, quotas } = site;
  const { signal } = bench;
  const added: Worker[] = [];
  await using stack = new AsyncDisposableStack();
  // Stops all workers at once, because stopping nine in sequence would take five seconds.
  stack.defer(() => allEnded(added.map(worker => worker[Symbol.asyncDispose]())));
  const pids: Record<string, number[]> = Object.fromEntries(WORKERS.map(name => [name, [product.services[name].pid]]));
  const starting = WORKERS.flatMap(name =>
    Array.from({ length: count - 1 }, async (_, at) => {
      const worker = await startWorker(product, name, at + 2, signal);
      added.push(worker);
      pids[name]!.push(worker.pid);
    }),
  );
  await allEnded(starting);
  await groups.stable(GROUPS, count, signal);
  const of = (kind: keyof typeof EACH) => Math.ceil((count * EACH[kind]) / fewer);
  return await timed(bench, async () => {
    const media = quotas && (await underQuota(quotas, pids.media!, () => mediaLeg(site, of('media'))));
    const transcripts = await transcriptLeg(site, of('transcription'));
    const webhooks = await webhookLeg(site, of('webhooks'));
    const legs = [transcripts, webhooks, ...(media ? [media] : [])];
    return {
      ...(media && { media: media.rate }),
      transcription: transcripts.rate,
      webhooks: webhooks.rate,
      wrong: legs.reduce((sum, { wrong }) => sum + wrong, 0),
    };
  });
}

/** Waits until all promises have settled. Rejects if one was rejected. */
async function allEnded(work: PromiseLike<unknown>[]): Promise<void> {
  for (const each of await Promise.allSettled(work)) if (each.status === 'rejected') throw each.reason;
}

async function underQuota<T>(quotas: Quotas, pids: number[], work: () => Promise<T>): Promise<T> {
  quotas.limit(pids, QUOTA_CORES);
  try {
    return await work();
  } finally {
    quotas.release();
  }
}

interface Leg {
  /** Units of work a second. */
  rate: number;
  /** Units that were lost or repeated. */
  wrong: number;
}

async function leg(
  { bench }: Site,
  batch: Batch,
  { each, repeated }: { each: number; repeated: () => number | Promise<number> },
): Promise<Leg> {
  const { rate, lost } = await progressOf(batch, { each, limitMs: LIMIT_MS, signal: bench.signal });
  return { rate, wrong: lost + (await repeated()) };
}

async function mediaLeg(site: Site, count: number): Promise<Leg> {
  const { backlog, templates } = site;
  const batch = await backlog.media(templates.landed, KEPT_SOURCE, count);
  return leg(site, batch, { each: EACH.media, repeated: () => backlog.repeatedJobs('media', batch) });
}

async function transcriptLeg(site: Site, count: number): Promise<Leg> {
  const { backlog, templates, speechCalls } = site;
  const before = speechCalls.requests;
  const batch = await backlog.transcripts(templates.submissionId, count);
  return leg(site, batch, {
    each: EACH.transcription,
    repeated: () => Math.max(0, speechCalls.requests - before - count),
  });
}

async function webhookLeg(site: Site, count: number): Promise<Leg> {
  const { backlog, templates, received } = site;
  const batch = await backlog.deliveries(templates.hookedProjectId, count);
  const repeated = () => batch.ids.reduce((sum, id) => sum + Math.abs((received.get(id) ?? 0) - 1), 0);
  return leg(site, batch, { each: EACH.webhooks, repeated });
}
