import { openFilm, type Take } from '@recording-request/fault-test/contributors/takes';
import { loadConfig } from '@recording-request/kit/config';
import { readProgress } from '@recording-request/kit-kafka/progress';
import { kafkaVariables } from '@recording-request/kit-kafka/variables';
import { type Connection, connectMongo } from '@recording-request/kit-mongo/mongo';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import type { Random } from '@recording-request/stack/random';
import { until } from '@recording-request/testing/wait';
import type { ClusterHarness } from '../harness.ts';
import { type ProcessorUse, watchProcessors } from './processor-use.ts';

const LOOK_MS = 250;
const DONE = { limitMs: 360_000, everyMs: LOOK_MS };
/**
 * The measured part of the clips. During the first clips, new pods compile their code. During the last clips, some pods
 * have no job.
 */
const STEADY = [0.35, 0.85] as const;

/**
 * Clips of a minute, so that media needs several times the CPU of all other work on a clip. Then two processors are
 * enough for four pods that are limited to a quarter of a processor each.
 */
const LONG_FILM = { container: 'webm', audio: 'none', seconds: 60, width: 1280, height: 720 } as const;

/**
 * Makes takes for comparing numbers of workers. With short takes, landing would cost as much as media, and the machine
 * would limit four pods.
 */
export const longTakes = (): Promise<(random: Random) => Take> => openFilm(LONG_FILM);

/**
 * Four uploads at once, in few requests. The default pieces are as small as a slow phone's pieces, and landing them
 * costs several times as much as media.
 */
export const QUICKLY = { width: 4, contribute: { chunkBytes: 1_000_000 } } as const;

/** Opens the database of `holdJobs`. */
export async function openSubmissions(
  { serversEnv }: Pick<ClusterHarness, 'serversEnv'>,
  stack: AsyncDisposableStack,
): Promise<Connection> {
  const settings = loadConfig(serversEnv, mongoVariables);
  return stack.adopt(await connectMongo(settings, 'submissions', 'cluster-test'), each => each.close());
}

/** Until disposal, limits each pod of media to one job at a time and this many processors, such as 0.25. */
export async function limitMedia(harness: ClusterHarness, processors: number): Promise<AsyncDisposable> {
  const { product } = harness;
  const before = Number(await product.in(['get', 'deployment/media', '--output=jsonpath={.spec.replicas}']));
  const resources = {
    requests: { cpu: '50m', memory: '128Mi' },
    limits: { cpu: String(processors), memory: '3200Mi' },
  };
  const container = { name: 'service', resources, env: [{ name: 'MEDIA_SLOTS', value: '1' }] };
  const patch = JSON.stringify({ spec: { template: { spec: { containers: [container] } } } });
  await product.in(['patch', 'deployment', 'media', '--patch', patch]);
  return {
    async [Symbol.asyncDispose]() {
      await product.in(['rollout', 'undo', 'deployment/media']);
      await scaleMedia(harness, before);
    },
  };
}

export async function scaleMedia({ product }: ClusterHarness, replicas: number): Promise<void> {
  await product.in(['scale', 'deployment/media', `--replicas=${replicas}`]);
  await product.settled();
}

/** Keeps every job waiting until disposal, by making the database refuse to store a running job. */
export async function holdJobs(connection: Connection): Promise<AsyncDisposable> {
  const validate = (validator: object) => connection.db!.command({ collMod: 'submissions', validator });
  await validate({ 'job.state': { $ne: 'running' } });
  return { [Symbol.asyncDispose]: async () => void (await validate({})) };
}

/** The rate of media and its CPU use. If media uses less CPU than its limit, the node limits the rate. */
export interface Rate {
  clipsPerMinute: number;
  use: ProcessorUse;
}

/** Describes the rate of pods whose limits together are `may` processors. */
export const told = ({ clipsPerMinute, use }: Rate, may: number): string =>
  `${clipsPerMinute.toFixed(1)} clips a minute, with ${use.pods.toFixed(2)} of media's ${may.toFixed(2)} processors and ${use.machine.toFixed(2)} in use on the machine`;

/**
 * Sends `clips` clips, and starts their media only when all of them wait. Starts to measure when `begun` has resolved;
 * `begun` can wait for the measured pods. Returns the rate. During the measurement, this function queries only Kafka,
 * because listing submissions would use the measured processors.
 */
export async function rateOf(
  harness: ClusterHarness,
  connection: Connection,
  { clips, load, begun }: { clips: number; load: () => Promise<unknown>; begun?: () => Promise<unknown> },
): Promise<Rate> {
  await using jobs = await openJobs(harness);
  const { made: before } = await jobs.count();
  const held = await holdJobs(connection);
  try {
    await load();
  } finally {
    await held[Symbol.asyncDispose]();
  }
  await begun?.();
  const finishedAt = async (share: number) => {
    const found = async () => {
      const finished = Number((await jobs.count()).made - before);
      return finished >= clips * share && { finished, at: Date.now() };
    };
    return await until(`${Math.round(share * 100)} % of the clips are finished`, found, DONE);
  };
  const first = await finishedAt(STEADY[0]);
  const used = await watchProcessors(await harness.product.pods('media'));
  const last = await finishedAt(STEADY[1]);
  const use = await used();
  await until('the last clips are finished', async () => (await unfinished(harness)) === 0, DONE);
  return { clipsPerMinute: (last.finished - first.finished) / ((last.at - first.at) / 60_000), use };
}

/** The numbers of media jobs and of their results, since the installation. */
export interface Jobs extends AsyncDisposable {
  count(): Promise<{ asked: bigint; made: bigint }>;
}

export async function openJobs({ serversEnv }: Pick<ClusterHarness, 'serversEnv'>): Promise<Jobs> {
  const progress = await readProgress(loadConfig(serversEnv, kafkaVariables));
  return {
    async count() {
      const { published: asked } = await progress.of('media.work', 'media');
      const { published: made } = await progress.of('media.events', 'submissions');
      return { asked, made };
    },
    [Symbol.asyncDispose]: () => progress[Symbol.asyncDispose](),
  };
}

async function unfinished({ owner, projects }: ClusterHarness): Promise<number> {
  const { plain } = await projects();
  const submissions = await owner.submissions(plain.projectId);
  return submissions.filter(({ thumbnailStartUrl }) => thumbnailStartUrl === null).length;
}
