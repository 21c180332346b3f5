import { glob, readFile, stat } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CLIPS as CLIPS_DIR } from '@recording-request/bench/product/clips';
import { createProject, createUpload, type File, type Product } from '@recording-request/bench/product/product';
import { RAISED } from '@recording-request/bench/product/raised';
import { startSpeechStub } from '@recording-request/bench/product/speech-stub';
import { makeClip } from '@recording-request/fixtures/clip';
import { startMeter, TICK_MS } from '@recording-request/harness/meter';
import { tusRequest } from '@recording-request/harness/tus';
import { type Connection, connectMongo } from '@recording-request/kit-mongo/mongo';
import { BUCKET, startCluster } from '@recording-request/stack/cluster';
import type { InstallContext } from '@recording-request/stack/install/context';
import { ensureDeployedFfmpeg, withPrograms } from '@recording-request/stack/install/deployed-ffmpeg';
import { ensure } from '@recording-request/stack/install/ensure';
import { provision } from '@recording-request/stack/provision';
import { type Servers, startServers } from '@recording-request/stack/servers';
import { SERVICES } from '@recording-request/stack/service-plan';
import { waitFor } from '@recording-request/stack/wait';
import { startWebhookSink } from '@recording-request/stack/webhook-sink';
import { Client } from 'minio';
import { type ClipSize, type Measured, type Sample, SERVERS, SPENDERS, type Spender } from './costs.ts';

const CLIPS = 30;
/**
 * The number of first clips of each kind that are not counted. During these, MongoDB creates pages of indexes and Node
 * compiles the code.
 */
const WARM_CLIPS = 10;
const WIDTH = 4;
/** The pause for the rest of the first clips' work. After it, the CPU use of the idle system is measured. */
const SETTLE_MS = 30_000;
const IDLE_MS = 30_000;
const REQUEST_MS = 60_000;
const DONE_MS = 300_000;
/** Settings of a project with transcripts, and the last event of its clips. */
const WITH_TRANSCRIPT = {
  project: { transcriptionEnabled: true },
  last: /^submission\.transcript\.(completed|failed)$/,
};
const MEDIA_ALONE = {
  project: { webhookEvents: ['submission.media.completed', 'submission.media.failed'] },
  last: /^submission\.media\.(completed|failed)$/,
};
/**
 * The part of the clips that is timed. The first clips wait for their assignment, and no clips follow the last ones.
 */
const STEADY = [0.2, 0.9] as const;
/** The number of consecutive clips that are timed. */
const STRETCH = 8;

/**
 * A short clip, a long clip and a clip with a high bit rate. Their differences show the cost of each second and of each
 * megabyte, so all clips have the same pixels and key frame distance. They have the format of Chrome and Firefox, so
 * the product must encode the sound.
 */
const PIXELS = { width: 1280, height: 720 };
const KINDS = [
  { text: 'good morning', seconds: 2, ...PIXELS },
  { text: 'This is what I think of it, and I say it slowly so that it takes a while.', seconds: 40, ...PIXELS },
  { text: 'This is what I think of it.', seconds: 10, megabits: 6, ...PIXELS },
] as const;

interface Site {
  product: Product;
  servers: Servers;
  dataDir: string;
  connection: Connection;
  pids: Record<Spender, number[]>;
  idleCores: Record<Spender, number>;
  webhookUrl: string;
  /** The type of each received event, and its time in ms. */
  events: { type: string; at: number }[];
  signal: AbortSignal | undefined;
}

/**
 * Starts the product on this machine, with the ffmpeg of its image, lands clips of three kinds, and returns their costs. Takes
 * some minutes and needs root; nothing else should run.
 */
export async function measure(dir: string, command: string, context: InstallContext): Promise<Measured> {
  const { env, log, signal } = context;
  const programs = await ensureDeployedFfmpeg(context);
  await ensure(['ffmpeg', 'flite'], log, { signal });
  const files = await Promise.all(
    KINDS.map(async kind => {
      const { path, mimeType, durationSec } = await makeClip({ dir: CLIPS_DIR, container: 'webm', ...kind });
      return { path, mimeType, seconds: durationSec, bytes: (await stat(path)).size };
    }),
  );
  await using stack = new AsyncDisposableStack();
  const servers = stack.use(
    await startServers({ dataDir: join(dir, 'servers'), only: [...SERVERS], log, signal, env }),
  );
  const speech = stack.use(await startSpeechStub());
  const events: Site['events'] = [];
  const sink = stack.use(
    await startWebhookSink({
      answer({ body }) {
        events.push({ type: JSON.parse(body.toString('utf8')).type, at: performance.now() });
        return 204;
      },
    }),
  );
  const cluster = stack.use(
    await startCluster({
      servers,
      dataDir: join(dir, 'services'),
      env: { ...RAISED, ...withPrograms(programs), ...speech.env },
      restart: false,
      log,
      signal,
    }),
  );
  const names = { databasePrefix: '', topicPrefix: '', bucket: BUCKET };
  const { apiToken: token } = await provision(cluster);
  const { baseUrl, services, certificates } = cluster;
  const product: Product = { baseUrl, services, certificates, token, serversEnv: servers.env, ...names };
  const settings = { mongoUrl: servers.mongoUrl, mongoDatabasePrefix: '' };
  const connection = stack.adopt(await connectMongo(settings, 'submissions', 'capacity'), each => each.close());
  const pids = Object.fromEntries([
    ...SERVICES.map(name => [name, [services[name].pid]]),
    ...SERVERS.map(name => [name, [servers.servers[name]?.pid].filter(pid => pid !== undefined)]),
  ]) as Site['pids'];
  const site: Site = {
    ...{ product, servers, dataDir: dir, connection, pids, webhookUrl: sink.url, events, signal },
    idleCores: none(),
  };
  for (const file of files) await land(site, file, WARM_CLIPS, WITH_TRANSCRIPT);
  site.idleCores = await idleCores(site);
  const samples: Sample[] = [];
  for (const file of files) {
    log(`landing ${CLIPS} clips of ${file.seconds} s and ${(file.bytes / 1e6).toFixed(2)} MB …`);
    samples.push(await sampleOf(site, file));
  }
  const [{ model = 'unknown' } = {}] = cpus();
  const machine = {
    cpus: cpus().length,
    model,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
  };
  return { at: new Date().toISOString(), command, machine, idleCores: site.idleCores, samples };
}

const none = () => Object.fromEntries(SPENDERS.map(name => [name, 0])) as Record<Spender, number>;
const perSpender = (value: (name: Spender) => number) =>
  Object.fromEntries(SPENDERS.map(name => [name, rounded(value(name))])) as Record<Spender, number>;
const rounded = (value: number) => Number(value.toPrecision(4));

async function idleCores({ pids, signal }: Site): Promise<Record<Spender, number>> {
  await delay(SETTLE_MS, undefined, signal ? { signal } : {});
  const meter = startMeter(pids);
  await delay(IDLE_MS, undefined, signal ? { signal } : {});
  const { ticks, seconds } = meter.read();
  return perSpender(name => (ticks[name]! * TICK_MS) / 1000 / seconds);
}

/** Lands clips while no job is assigned, and then starts the jobs, so that landing and jobs are measured separately. */
async function land(
  site: Site,
  file: File,
  clips: number,
  { project, last }: typeof WITH_TRANSCRIPT | typeof MEDIA_ALONE,
) {
  const { product, pids, connection, events, webhookUrl, signal } = site;
  const { sharedLink } = await createProject(product, 'Capacity', { ...project, webhookUrl });
  const bytes = await readFile(file.path);
  // Until all clips have landed, this validator makes the database refuse the start of a job.
  const validate = (validator: object) => connection.db!.command({ collMod: 'submissions', validator });
  await validate({ 'job.state': { $ne: 'running' } });
  const meter = startMeter(pids);
  try {
    let open = clips;
    const lane = async () => {
      for (; open > 0 && !signal?.aborted; ) {
        open -= 1;
        const url = await createUpload(product, sharedLink!.recipientUrl, file);
        const answer = await tusRequest(url, 'PATCH', { 'upload-offset': '0' }, bytes);
        await answer.body?.cancel();
        if (!answer.ok) throw new Error(`an upload was answered with ${answer.status}`);
      }
    };
    await Promise.all(Array.from({ length: WIDTH }, lane));
  } finally {
    await validate({});
  }
  const before = events.length;
  const landed = meter.read();
  const ends = () => events.slice(before).flatMap(({ type, at }) => (last.test(type) ? [at] : []));
  const isDone = async () => (ends().length >= clips ? true : undefined);
  await waitFor(`all results of ${clips} clips`, isDone, { timeoutMs: DONE_MS, checkMs: REQUEST_MS, signal });
  return { landed, whole: meter.read(), ends: ends() };
}

async function sampleOf(site: Site, file: File & ClipSizeSource): Promise<Sample> {
  // Lands clips without transcripts, because transcription would slow media's jobs. For short clips, even a second
  // processor could not prevent that.
  const jobs = await land(site, file, CLIPS, MEDIA_ALONE);
  const before = await kept(site);
  const { whole } = await land(site, file, CLIPS, WITH_TRANSCRIPT);
  const after = await kept(site);
  const [from, to] = STEADY.map(share => Math.floor(CLIPS * share)) as [number, number];
  const secondsOf = ({ ticks, seconds }: Spent, name: Spender) =>
    (ticks[name]! * TICK_MS) / 1000 - site.idleCores[name] * seconds;
  const each = (field: keyof typeof before) => Math.round((after[field] - before[field]) / CLIPS);
  return {
    seconds: file.seconds,
    megabytes: file.bytes / 1e6,
    clips: CLIPS,
    cpuSeconds: perSpender(name => Math.max(0, secondsOf(whole, name)) / CLIPS),
    jobCpuSeconds: rounded((secondsOf(jobs.whole, 'media') - secondsOf(jobs.landed, 'media')) / CLIPS),
    jobSeconds: rounded(quickest(jobs.ends.slice(from, to + 1)) / 1000),
    storedBytes: each('stored'),
    audioBytes: each('audio'),
    databaseBytes: each('database'),
    eventBytes: each('events'),
  };
}

/**
 * Returns the milliseconds per clip of the fastest run of consecutive clips. Other load on the machine can only make a
 * run slower.
 */
const quickest = (ends: number[]): number =>
  Math.min(...ends.slice(STRETCH).map((end, at) => (end - ends[at]!) / STRETCH));

type Spent = ReturnType<ReturnType<typeof startMeter>['read']>;
type ClipSizeSource = Pick<ClipSize, 'seconds'>;

/** Returns the size of the servers' data, in bytes. */
async function kept({ servers, connection, dataDir }: Site) {
  const sum = { stored: 0, audio: 0, database: 0, events: 0 };
  const { endpoint, accessKey, secretKey, region } = servers.s3;
  const { hostname, port } = new URL(endpoint);
  const objects = new Client({
    endPoint: hostname,
    port: Number(port),
    useSSL: false,
    accessKey,
    secretKey,
    region,
    pathStyle: true,
  });
  for await (const { name, size } of objects.listObjectsV2(BUCKET, '', true)) {
    sum.stored += size ?? 0;
    if (name?.endsWith('/audio.m4a')) sum.audio += size ?? 0;
  }
  for (const name of ['projects', 'submissions', 'webhooks']) {
    const { dataSize, indexSize } = await connection.getClient().db(name).stats();
    sum.database += dataSize + indexSize;
  }
  for await (const file of glob('**/00000000000000000000.log', { cwd: dataDir }))
    sum.events += (await stat(join(dataDir, file))).size;
  return sum;
}
