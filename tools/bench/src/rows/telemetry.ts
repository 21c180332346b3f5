import type { ProjectDetailJson } from '@recording-request/contract/resources/project';
import { startMeter, TICK_MS } from '../cpu/meter.ts';
import { getSample } from '../get-sample.ts';
import { clipOf } from '../product/clips.ts';
import { startOwnProduct } from '../product/own-product.ts';
import {
  ask,
  createProject,
  createUpload,
  type File,
  type Product,
  readyClips,
  sendUpload,
} from '../product/product.ts';
import { deadCollector, startCollector } from '../product/telemetry.ts';
import { AGAIN, type Bench, expectEqual, itself, PRODUCT, type Prepared, type Row } from '../row.ts';
import { timed } from '../sample.ts';
import type { Goal, Metrics } from '../stats/goal.ts';
import type { Sample } from '../stats/rounds.ts';

const ON = 'telemetry on';
const DEAD = 'collector dead';
const SLOW = 'collector slow';
/** Of a round of reads, so that each is half a second long. */
const TURNS = 5;
/** Landed at once in one sample. */
const CLIPS_AT_ONCE = 4;
const CLIPS = 20;
const CLIP_BYTES = 1e6;

const off = { to: PRODUCT };
const reads = (variant: string): Goal[] => [
  { text: `rate of reads, ${variant} beside off`, metric: 'rate', of: variant, ...off, atLeast: 0.95 },
  { text: `CPU of a read, ${variant} beside off`, metric: 'cpuMs', of: variant, ...off },
];
const shown = (goals: Goal[]): Goal[] => goals.map(({ atLeast: _, atMost: __, ...goal }) => goal);

/**
 * What telemetry costs a read: traces, metrics and log records, with a collector's address and no other setting, beside none. Each
 * variant has services of its own, the product beside itself too: two processes of one program differ by more than one does from itself.
 */
export const telemetryReads: Row = {
  name: '12',
  title: 'telemetry on: one project, token known',
  needs: [],
  minutes: 5,
  alone: true,
  turns: TURNS,
  goals: [...reads(ON), ...shown([...reads(DEAD), ...reads(SLOW)])],
  self: itself('rate', 'cpuMs'),
  async prepare(bench, stack): Promise<Prepared> {
    const { minTicks, minSeconds } = bench.scale;
    const inTurn = { ...bench, scale: { ...bench.scale, minTicks: minTicks / TURNS, minSeconds: minSeconds / TURNS } };
    const sampler = async (name: string, env: Record<string, string>) => readSamples(inTurn, stack, name, env);
    const collector = await startCollector('collector', bench, stack);
    const slow = await startCollector('collector-slow', bench, stack, true);
    const samples = {
      [PRODUCT]: await sampler('telemetry-off', {}),
      [AGAIN]: await sampler('telemetry-off-again', {}),
      [ON]: await sampler('telemetry-on', collector.env),
      [DEAD]: await sampler('telemetry-dead', await deadCollector()),
      [SLOW]: await sampler('telemetry-slow', slow.env),
    };
    await samples[ON]!();
    await collector.came();
    return samples;
  },
};

/** What telemetry costs a clip that lands, whose traces are sent whole. */
export const telemetryClips: Row = {
  name: '14',
  title: 'telemetry on: 1 MB clips until their media is made',
  needs: ['media', 'curl'],
  minutes: 5,
  alone: true,
  goals: [
    { text: 'CPU of a clip, all services and ffmpeg', metric: 'clipCpuMs', of: ON, ...off, atMost: 1.05 },
    { text: 'of that gateway, projects and submissions', metric: 'landingCpuMs', of: ON, ...off },
  ],
  self: itself('clipCpuMs'),
  async prepare(bench, stack): Promise<Prepared> {
    const file = await clipOf(CLIP_BYTES);
    const collector = await startCollector('collector', bench, stack);
    const sampler = async (name: string, env: Record<string, string>) => {
      const product = await startOwnProduct(bench, name, { env });
      stack.use(product);
      return () => timed(bench, () => landClips(bench, product, file));
    };
    const samples = {
      [PRODUCT]: await sampler('clips-off', {}),
      [AGAIN]: await sampler('clips-off-again', {}),
      [ON]: await sampler('clips-on', collector.env),
    };
    await samples[ON]!();
    await collector.came();
    return samples;
  },
};

/** Starts services with these variables and returns what reads from them. */
async function readSamples(
  bench: Bench,
  stack: AsyncDisposableStack,
  name: string,
  env: Record<string, string>,
): Promise<() => Promise<Sample>> {
  const product = stack.use(await startOwnProduct(bench, name, { env }));
  const { projectId } = await createProject(product, 'One project', { count: 10 });
  const path = `/api/projects/${projectId}`;
  expectEqual('the project that is answered', (await ask<ProjectDetailJson>(product, path)).projectId, projectId);
  const counted = landingPids(product);
  return getSample({ ...bench, product }, stack, { origin: product.baseUrl, path, counted });
}

/** The services that answer an owner, and that land a clip. */
const landingPids = ({ services: { gateway, projects, submissions } }: Product) => [
  gateway.pid,
  projects.pid,
  submissions.pid,
];

/** Lands clips, some at once, and waits for the media of all: CPU time a clip, children that ended included. */
async function landClips({ signal }: Bench, product: Product, file: File): Promise<Metrics> {
  const { projectId, sharedLink } = await createProject(product, 'Clips');
  const meter = startMeter({
    landing: landingPids(product),
    all: Object.values(product.services).map(({ pid }) => pid),
  });
  let open = CLIPS;
  const lane = async () => {
    while (open > 0) {
      open -= 1;
      await sendUpload(await createUpload(product, sharedLink!.recipientUrl, file), file, signal);
    }
  };
  await Promise.all(Array.from({ length: CLIPS_AT_ONCE }, lane));
  await readyClips(product, projectId, CLIPS, signal);
  const { ticks } = meter.read();
  const aClip = (group: string) => ((ticks[group] ?? 0) * TICK_MS) / CLIPS;
  return { clipCpuMs: aClip('all'), landingCpuMs: aClip('landing') };
}
