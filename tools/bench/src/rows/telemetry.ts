import type { ProjectDetailJson } from '@recording-request/contract/resources/project';
import { startMeter, TICK_MS } from '@recording-request/harness/meter';
import { getSample, LANES } from '../get-sample.ts';
import { closedLoop } from '../load/closed-loop.ts';
import { openLoadClient } from '../load/http-client.ts';
import { clipOf } from '../product/clips.ts';
import { startOwnProduct } from '../product/own-product.ts';
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
import { startCollector } from '../product/telemetry.ts';
import { type Bench, CONTROL, expectEqual, PRODUCT, type Prepared, type Row, selfComparison } from '../row.ts';
import { partOf, timed } from '../sample.ts';
import type { Metrics } from '../stats/goal.ts';
import type { Sample } from '../stats/rounds.ts';

const ON = 'telemetry on';
/**
 * The number of turns in a round of reads, each half a second long. Short events such as garbage collections then occur
 * in many turns.
 */
const TURNS = 20;
const TURN = 0.25;
/**
 * The number of reads before the first turn. During these, Node still compiles the services' code. Services with
 * telemetry have more code.
 */
const WARM_UP_READS = 15_000;
/** Maximum duration of the warm-up, for a slow machine. */
const WARM_UP_SECONDS = 120;
/**
 * Exports metrics often: each round restarts the services, so it would never contain an export at the default interval
 * of a minute.
 */
const METRICS_OFTEN = { OTEL_METRIC_EXPORT_INTERVAL: '10000' };
/** Clips that land at the same time. */
const CLIPS_AT_ONCE = 2;
const CLIPS = 20;
const CLIP_BYTES = 1e6;

/**
 * Two sets of processes of the same program differ by some percent. Comparing with the mean of two sets is more exact.
 */
const off = { to: [PRODUCT, CONTROL] };

/**
 * The cost of telemetry for a read. One variant sends traces and metrics to a collector; the other two send none. Each
 * of the three variants has its own services.
 */
export const telemetryReads: Row = {
  name: '12',
  title: 'telemetry on: one project, cached token',
  needs: [],
  minutes: 36,
  alone: true,
  named: true,
  rounds: 12,
  turns: TURNS,
  goals: [{ text: 'CPU of a read, telemetry on compared with off', metric: 'cpuMs', of: ON, ...off, atMost: 1.15 }],
  self: selfComparison('cpuMs'),
  async prepare(bench, stack): Promise<Prepared> {
    const collector = await startCollector(bench, stack);
    const samples = {
      [PRODUCT]: await readSamples(bench, stack, 'telemetry-off', {}),
      [CONTROL]: await readSamples(bench, stack, 'telemetry-off-again', {}),
      [ON]: await readSamples(bench, stack, 'telemetry-on', { ...collector.env, ...METRICS_OFTEN }),
    };
    // Takes as many samples as a whole round, so that the next round starts with its first turn.
    for (let turn = 0; turn < TURNS; turn++) await samples[ON]!();
    await collector.came();
    return samples;
  },
};

/** The cost of telemetry for a clip that lands, with its complete trace. */
export const telemetryClips: Row = {
  name: '14',
  title: 'telemetry on: 1 MB clips until their media are ready',
  needs: ['media', 'curl'],
  minutes: 12,
  alone: true,
  named: true,
  atOnce: true,
  goals: [
    {
      text: 'CPU of its landing: gateway, projects, submissions',
      metric: 'landingCpuMs',
      of: ON,
      ...off,
      atMost: 1.1,
    },
  ],
  self: selfComparison('landingCpuMs'),
  async prepare(bench, stack): Promise<Prepared> {
    const file = await clipOf(CLIP_BYTES);
    const collector = await startCollector(bench, stack);
    const sampler = async (name: string, env: Record<string, string>) => {
      const product = await startOwnProduct(bench, name, { env });
      stack.use(product);
      return () => timed(bench, () => landClips(bench, product, file));
    };
    const samples = {
      [PRODUCT]: await sampler('clips-off', {}),
      [CONTROL]: await sampler('clips-off-again', {}),
      [ON]: await sampler('clips-on', collector.env),
    };
    await samples[ON]!();
    await collector.came();
    return samples;
  },
};

/** The services that take part in a read and in a landing. */
const FRONT_SERVICES = ['gateway', 'projects', 'submissions'] as const;

/**
 * Returns a function that samples one turn of reads from services with these variables. The services restart before
 * each round: two processes of the same program differ by some percent for their whole life, so more rounds with the
 * same processes would not help.
 */
async function readSamples(
  bench: Bench,
  stack: AsyncDisposableStack,
  name: string,
  env: Record<string, string>,
): Promise<() => Promise<Sample>> {
  let running = new AsyncDisposableStack();
  stack.defer(() => running.disposeAsync());
  let read: { token: string; path: string } | undefined;
  let sample: () => Promise<Sample>;
  let turns = 0;

  const restart = async () => {
    await running.disposeAsync();
    running = new AsyncDisposableStack();
    const product = running.use(await startOwnProduct(bench, name, { env, only: FRONT_SERVICES, token: read?.token }));
    read ??= { token: product.token, path: await readablePath(product) };
    const { path } = read;
    const of = { origin: product.baseUrl, path, counted: landingPids(product) };
    await warmUp(bench, product, path);
    sample = getSample(partOf({ ...bench, product }, TURN), running, of);
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

/** Waits for an answer about a new project. Returns its path. */
async function readablePath(product: Product): Promise<string> {
  const { projectId } = await createProject(product, 'One project', { count: 10 });
  const path = `/api/projects/${projectId}`;
  expectEqual('the project in the answer', (await ask<ProjectDetailJson>(product, path)).projectId, projectId);
  return path;
}

const landingPids = ({ services }: Product) => FRONT_SERVICES.map(name => services[name].pid);

/**
 * Lands clips, some at once, and waits for their media. Returns the CPU time per clip, which includes ended child
 * processes.
 */
async function landClips({ signal }: Bench, product: Product, file: File): Promise<Metrics> {
  const { projectId, sharedLink } = await createProject(product, 'Clips');
  const meter = startMeter({ landing: landingPids(product) });
  let open = CLIPS;
  const lane = async () => {
    while (open > 0) {
      open -= 1;
      await sendUpload(await createUpload(product, sharedLink!.recipientUrl, file), file, signal);
    }
  };
  await Promise.all(Array.from({ length: CLIPS_AT_ONCE }, lane));
  await readyClips(product, projectId, CLIPS, signal);
  return { landingCpuMs: ((meter.read().ticks.landing ?? 0) * TICK_MS) / CLIPS };
}
