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
/** Landed at once in one sample. */
const CLIPS_AT_ONCE = 4;
const CLIPS = 20;
const CLIP_BYTES = 1e6;

const off = { to: PRODUCT };
const beside = (variant: string): Goal[] => [
  { text: `rate of reads, ${variant} beside off`, metric: 'rate', of: variant, ...off, atLeast: 0.95 },
  { text: `CPU of a read, ${variant} beside off`, metric: 'cpuMs', of: variant, ...off, atMost: 1.05 },
];
const shown = (goals: Goal[]): Goal[] => goals.map(({ atLeast: _, atMost: __, ...goal }) => goal);

/**
 * What telemetry costs the product: traces, metrics and log records, with a collector's address and no other setting, beside none. Each
 * variant has services of its own, the product beside itself too: two processes of one program differ by more than one does from itself.
 */
export const telemetry: Row = {
  name: '12',
  title: 'telemetry on: one project, token known; 1 MB clips until their media is made',
  needs: ['media', 'curl'],
  minutes: 7,
  alone: true,
  goals: [
    ...beside(ON),
    { text: 'CPU of a clip, all services and ffmpeg', metric: 'clipCpuMs', of: ON, ...off, atMost: 1.05 },
    { text: 'of that gateway, projects and submissions', metric: 'landingCpuMs', of: ON, ...off },
    ...shown([...beside(DEAD), ...beside(SLOW)]),
  ],
  self: itself('rate', 'cpuMs', 'clipCpuMs'),
  async prepare(bench, stack): Promise<Prepared> {
    const file = await clipOf(CLIP_BYTES);
    const collector = await startCollector('collector', bench, stack);
    const slow = await startCollector('collector-slow', bench, stack, true);
    const plain = await startSamples(bench, stack, 'telemetry-off', {});
    const again = await startSamples(bench, stack, 'telemetry-off-again', {});
    const on = await startSamples(bench, stack, 'telemetry-on', collector.env);
    const dead = await startSamples(bench, stack, 'telemetry-dead', await deadCollector());
    const late = await startSamples(bench, stack, 'telemetry-slow', slow.env);
    const both = (samples: Samples) => async () => merged(await samples.read(), await samples.clips(file));
    const measured = both(on);
    await measured();
    await collector.came();
    return {
      [PRODUCT]: both(plain),
      [AGAIN]: both(again),
      [ON]: measured,
      [DEAD]: dead.read,
      [SLOW]: late.read,
    };
  },
};

interface Samples {
  read(): Promise<Sample>;
  clips(file: File): Promise<Sample>;
}

/** Starts services with these variables and returns what samples them. */
async function startSamples(
  bench: Bench,
  stack: AsyncDisposableStack,
  name: string,
  env: Record<string, string>,
): Promise<Samples> {
  const product = stack.use(await startOwnProduct(bench, name, { env }));
  const { projectId } = await createProject(product, 'One project', { count: 10 });
  const path = `/api/projects/${projectId}`;
  expectEqual('the project that is answered', (await ask<ProjectDetailJson>(product, path)).projectId, projectId);
  const { gateway, projects, submissions } = product.services;
  const counted = [gateway.pid, projects.pid, submissions.pid];
  const own = { ...bench, product };
  return {
    read: getSample(own, stack, { origin: product.baseUrl, path, counted }),
    clips: file => timed(bench, () => landClips(own, product, file, counted)),
  };
}

/** Lands clips, some at once, and waits for the media of all: CPU time a clip, children that ended included. */
async function landClips({ signal }: Bench, product: Product, file: File, landing: number[]): Promise<Metrics> {
  const { projectId, sharedLink } = await createProject(product, 'Clips');
  const meter = startMeter({ landing, all: Object.values(product.services).map(({ pid }) => pid) });
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

/** What two samples measured one after the other, as one. */
const merged = (a: Sample, b: Sample): Sample => ({
  metrics: { ...a.metrics, ...b.metrics },
  machine: {
    all: a.machine.all + b.machine.all,
    foreign: a.machine.foreign + b.machine.foreign,
    stolen: a.machine.stolen + b.machine.stolen,
  },
});
