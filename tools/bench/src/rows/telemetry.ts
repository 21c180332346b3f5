import type { ProjectDetailJson } from '@recording-request/contract/resources/project';
import type { ServiceName } from '@recording-request/stack/service-plan';
import { startMeter, TICK_MS } from '../cpu/meter.ts';
import { getSample, LANES } from '../get-sample.ts';
import { closedLoop } from '../load/closed-loop.ts';
import { openLoadClient } from '../load/http-client.ts';
import { clipOf } from '../product/clips.ts';
import { type OwnProduct, startOwnProduct } from '../product/own-product.ts';
import {
  ask,
  bearer,
  createProject,
  createUpload,
  type File,
  type Product,
  readyClips,
  sendUpload,
} from '../product/product.ts';
import { deadCollector, startCollector } from '../product/telemetry.ts';
import { AGAIN, type Bench, expectEqual, itself, PRODUCT, type Prepared, type Row } from '../row.ts';
import { partOf, timed } from '../sample.ts';
import type { Goal } from '../stats/goal.ts';
import type { Sample } from '../stats/rounds.ts';

const ON = 'telemetry on';
const RECORDS = 'log records too';
const DEAD = 'collector dead';
const SLOW = 'collector slow';
/** Of a round of reads, each half a second long: what lasts for less than seconds, such as a collection of garbage, is in many of them. */
const TURNS = 20;
const TURN = 0.25;
/** Until then Node compiles what the services run, which takes of the processor, and those with telemetry have more of it. */
const WARM_UP_READS = 15_000;
/** On a machine where that takes longer. */
const WARM_UP_SECONDS = 120;
/** Services that read are started again each round: of what leaves once a minute by default, none would be measured. */
const METRICS_OFTEN = { OTEL_METRIC_EXPORT_INTERVAL: '10000' };
/** Landed at once by one variant. */
const CLIPS_AT_ONCE = 2;
const CLIPS = 20;
const LANDINGS = 40;
/** By then most of what a landing runs is compiled. */
const WARM_UP_LANDINGS = 80;
const CLIP_BYTES = 1e6;

/** Two sets of processes of one program differ by some percent: beside both of them a third one is told more exactly than beside one. */
const off = { to: [PRODUCT, AGAIN] };
const reads = (variant: string): Goal[] => [
  { text: `rate of reads, ${variant} beside off`, metric: 'rate', of: variant, ...off, atLeast: 0.95 },
  { text: `CPU of a read, ${variant} beside off`, metric: 'cpuMs', of: variant, ...off },
];
const shown = (goals: Goal[]): Goal[] => goals.map(({ atLeast: _, atMost: __, ...goal }) => goal);

/** What the rows of reads have in common. */
const aRead = {
  needs: [],
  minutes: 20,
  alone: true,
  named: true,
  rounds: 12,
  turns: TURNS,
  self: itself('rate', 'cpuMs'),
};

/**
 * What telemetry costs a read: what a collector's address asks for, traces and metrics, beside none. Each
 * variant has services of its own, the product beside itself too.
 */
export const telemetryReads: Row = {
  ...aRead,
  name: '12',
  title: 'telemetry on: one project, token known',
  goals: reads(ON),
  async prepare(bench, stack): Promise<Prepared> {
    const collector = await startCollector('collector', bench, stack);
    const samples = {
      ...(await offTwice(bench, stack)),
      [ON]: await readSamples(bench, stack, 'telemetry-on', { ...collector.env, ...METRICS_OFTEN }),
    };
    // The first round is dropped: a whole one, so that each variant is at its first turn again.
    for (let turn = 0; turn < TURNS; turn++) await samples[ON]!();
    await collector.came();
    return samples;
  },
};

/** The same with log records, with a collector that is away, and with one that never answers in time. A row of its own, as services that wait for their turn take of the processor too. */
export const telemetryUnheard: Row = {
  ...aRead,
  name: '15',
  title: 'telemetry on with log records, or its collector dead or slow: one project, token known',
  goals: shown([...reads(RECORDS), ...reads(DEAD), ...reads(SLOW)]),
  async prepare(bench, stack): Promise<Prepared> {
    const collector = await startCollector('collector', bench, stack);
    const slow = await startCollector('collector-slow', bench, stack, true);
    const records = { ...collector.env, ...METRICS_OFTEN, OTEL_LOGS_EXPORTER: 'otlp' };
    return {
      ...(await offTwice(bench, stack)),
      [RECORDS]: await readSamples(bench, stack, 'telemetry-records', records),
      [DEAD]: await readSamples(bench, stack, 'telemetry-dead', { ...(await deadCollector()), ...METRICS_OFTEN }),
      [SLOW]: await readSamples(bench, stack, 'telemetry-slow', { ...slow.env, ...METRICS_OFTEN }),
    };
  },
};

const offTwice = async (bench: Bench, stack: AsyncDisposableStack): Promise<Prepared> => ({
  [PRODUCT]: await readSamples(bench, stack, 'telemetry-off', {}),
  [AGAIN]: await readSamples(bench, stack, 'telemetry-off-again', {}),
});

const apart = { needs: ['curl'], alone: true, named: true, atOnce: true } as const;

/** What telemetry costs a landing, whose trace is sent whole. Nobody makes media of it, so that little of the time is that of services that wait. */
export const telemetryLandings: Row = {
  ...apart,
  name: '14',
  title: 'telemetry on: 1 MB clips land',
  minutes: 20,
  goals: [{ text: 'CPU of a landing, telemetry on beside off', metric: 'landingCpuMs', of: ON, ...off, atMost: 1.05 }],
  self: itself('landingCpuMs'),
  prepare: (bench, stack) =>
    onBesideOff(bench, stack, 'landings', async (name, env) => {
      const file = await clipOf(CLIP_BYTES);
      const restarted = restarting(bench, stack, name, { env, only: ASKED });
      return () =>
        timed(bench, async () => {
          const product = await restarted();
          const { sharedLink } = await createProject(product, 'Clips');
          await land(bench, product, { link: sharedLink!.recipientUrl, file, count: WARM_UP_LANDINGS });
          const meter = startMeter({ landing: landingPids(product) });
          await land(bench, product, { link: sharedLink!.recipientUrl, file, count: LANDINGS });
          return { landingCpuMs: ((meter.read().ticks.landing ?? 0) * TICK_MS) / LANDINGS };
        });
    }),
};

/** The same of all services, until the media of a clip is made. They stay the same processes, as they would take minutes of each round to become warm. */
export const telemetryClips: Row = {
  ...apart,
  name: '16',
  title: 'telemetry on: 1 MB clips until their media is made',
  needs: ['media', 'curl'],
  minutes: 12,
  goals: [{ text: 'CPU of a clip, all services and ffmpeg', metric: 'clipCpuMs', of: ON, ...off }],
  self: itself('clipCpuMs'),
  prepare: (bench, stack) =>
    onBesideOff(bench, stack, 'clips', async (name, env) => {
      const file = await clipOf(CLIP_BYTES);
      const product = stack.use(await startOwnProduct(bench, name, { env }));
      const pids = Object.values(product.services).map(({ pid }) => pid);
      return () =>
        timed(bench, async () => {
          const { projectId, sharedLink } = await createProject(product, 'Clips');
          const meter = startMeter({ all: pids });
          await land(bench, product, { link: sharedLink!.recipientUrl, file, count: CLIPS });
          await readyClips(product, projectId, CLIPS, bench.signal);
          return { clipCpuMs: ((meter.read().ticks.all ?? 0) * TICK_MS) / CLIPS };
        });
    }),
};

/** Returns samples without telemetry, twice, and with it, of which something has come. */
async function onBesideOff(
  bench: Bench,
  stack: AsyncDisposableStack,
  what: string,
  sampler: (name: string, env: Record<string, string>) => Promise<() => Promise<Sample>>,
): Promise<Prepared> {
  const collector = await startCollector('collector', bench, stack);
  const samples = {
    [PRODUCT]: await sampler(`${what}-off`, {}),
    [AGAIN]: await sampler(`${what}-off-again`, {}),
    [ON]: await sampler(`${what}-on`, { ...collector.env, ...METRICS_OFTEN }),
  };
  await samples[ON]!();
  await collector.came();
  return samples;
}

/** Lands clips through one link, some at once. */
async function land(
  { signal }: Bench,
  product: Product,
  { link, file, count }: { link: string; file: File; count: number },
): Promise<void> {
  let open = count;
  const lane = async () => {
    while (open > 0) {
      open -= 1;
      await sendUpload(await createUpload(product, link, file), file, signal);
    }
  };
  await Promise.all(Array.from({ length: CLIPS_AT_ONCE }, lane));
}

/** Those that answer an owner, and that land a clip. */
const ASKED = ['gateway', 'projects', 'submissions'] as const;

/**
 * Returns what starts services with these variables, and stops those of the last time. Two processes of one program differ by some percent for
 * as long as they live, which no number of rounds of the same ones would mend.
 */
function restarting(
  bench: Bench,
  stack: AsyncDisposableStack,
  name: string,
  options: { env: Record<string, string>; only: readonly ServiceName[] },
): () => Promise<OwnProduct> {
  let running: OwnProduct | undefined;
  let token: string | undefined;
  stack.defer(() => running?.[Symbol.asyncDispose]());
  return async () => {
    const before = running;
    running = undefined;
    await before?.[Symbol.asyncDispose]();
    running = await startOwnProduct(bench, name, { ...options, token });
    token ??= running.token;
    return running;
  };
}

/** Returns what samples one turn of a round of reads, of services with these variables that are started again before each round. */
async function readSamples(
  bench: Bench,
  stack: AsyncDisposableStack,
  name: string,
  env: Record<string, string>,
): Promise<() => Promise<Sample>> {
  const restarted = restarting(bench, stack, name, { env, only: ASKED });
  let clients = new AsyncDisposableStack();
  stack.defer(() => clients.disposeAsync());
  let path: string | undefined;
  let sample: () => Promise<Sample>;
  let turns = 0;

  const restart = async () => {
    await clients.disposeAsync();
    clients = new AsyncDisposableStack();
    const product = await restarted();
    path ??= await readablePath(product);
    const of = { origin: product.baseUrl, path, counted: landingPids(product) };
    await warmUp(bench, product, path);
    sample = getSample(partOf({ ...bench, product }, TURN), clients, of);
  };
  return async () => {
    if (turns++ % TURNS === 0) await restart();
    return await sample();
  };
}

async function warmUp({ signal }: Bench, product: Product, path: string): Promise<void> {
  await using client = openLoadClient(product.baseUrl, LANES);
  const read = async () => void (await client.get(path, bearer(product)));
  const isEnough = (count: number, seconds: number) => {
    signal.throwIfAborted();
    return count >= WARM_UP_READS || seconds >= WARM_UP_SECONDS;
  };
  await closedLoop(read, { lanes: LANES, isEnough });
}

/** Returns the path of a project, once it answers. */
async function readablePath(product: Product): Promise<string> {
  const { projectId } = await createProject(product, 'One project', { count: 10 });
  const path = `/api/projects/${projectId}`;
  expectEqual('the project that is answered', (await ask<ProjectDetailJson>(product, path)).projectId, projectId);
  return path;
}

const landingPids = ({ services }: Product) => ASKED.map(name => services[name].pid);
