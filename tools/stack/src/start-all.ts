import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BUCKET, type Cluster, type ClusterOptions, startCluster } from './cluster.ts';
import { openDataDir } from './data-dir.ts';
import type { Log } from './log.ts';
import { freePort, isFree, nextFreePort } from './ports.ts';
import { isTokenGood, type SampleProject, sampleProject } from './sample-project.ts';
import { keptSecret, readJson, writePrivateJson } from './secrets.ts';
import { type Servers, startServers } from './servers.ts';
import type { ServiceAddress } from './service-plan.ts';
import { DEFAULT_PORT, type StartOptions } from './start-options.ts';
import { words } from './wait.ts';
import { startWebhookSink } from './webhook-sink.ts';

/** The content of DIR/ready.json. */
export interface Ready {
  baseUrl: string;
  apiToken: string;
  webhookSinkUrl: string;
  services: Record<string, { pid: number } & ServiceAddress>;
  /** The operator's certificate variables, for `npm run admin`. */
  operator: Record<string, string>;
  servers: { mongo: string; kafka: string; s3: string; speech: string };
  /** The variables that `npm run admin` needs to reach the servers directly, for migrations, backups and restores. */
  stores: Record<string, string>;
  /** The URL of a trace, which contains `{traceId}`, for `npm run admin`. Absent when there is no trace store. */
  traceUrl?: string;
}

export interface StartAllOptions {
  options: Pick<StartOptions, 'port' | 'fresh'>;
  dataDir: string;
  log: Log;
  signal: AbortSignal;
  provision: (cluster: Cluster) => Promise<{ apiToken: string }>;
  /**
   * Starts additional processes after the servers. The services also get the returned variables. These processes stop
   * after the services.
   */
  beside?: (signal: AbortSignal) => Promise<AsyncDisposable & { env: Record<string, string>; traceUrl: string }>;
  /** Called once, when everything is ready. */
  onReady: (ready: Ready, sample: SampleProject) => void;
  nodeArgs?: ClusterOptions['nodeArgs'];
}

/**
 * Starts servers, services and webhook receiver, and runs them until `signal` fires. Then stops them in order and
 * resolves. When something does not start or a server ends by itself, stops everything and rejects.
 */
export async function startAll(all: StartAllOptions): Promise<void> {
  const { options, dataDir, log, signal, provision, onReady } = all;
  const readyFile = join(dataDir, 'ready.json');
  const lock = await openDataDir(dataDir, options.fresh);
  await using stack = new AsyncDisposableStack();
  stack.use(lock);
  await rm(readyFile, { force: true });
  if (options.port !== undefined && !(await isFree(options.port)))
    throw new Error(`Port ${options.port} is in use: choose another --port.`);

  const lost = new AbortController();
  const over = AbortSignal.any([signal, lost.signal]);
  log('starting MongoDB, Kafka, the S3 store and the speech server …');
  const servers = stack.use(
    await startServers({
      dataDir,
      log,
      signal,
      onExit: (name, exit) =>
        lost.abort(new Error(`${name} ended (${words(exit)}): see ${join(dataDir, 'logs', `${name}.log`)}.`)),
    }),
  );
  const beside = all.beside && stack.use(await all.beside(over));
  const sink = stack.use(await startWebhookSink({ port: await sinkPort(dataDir), log }));
  log('starting the six services …');
  // Chooses the port only after the start of the servers, because another process may take a port during that start.
  const port = options.port ?? (await nextFreePort(DEFAULT_PORT));
  let announce = async (): Promise<void> => {};
  const cluster = stack.use(
    await startCluster({
      servers,
      dataDir,
      baseUrlPort: port,
      restart: true,
      log,
      signal: over,
      onRestart: () => void announce().catch(error => log(`ready.json could not be written: ${error.message}`)),
      ...names(process.env),
      env: beside?.env,
      nodeArgs: all.nodeArgs,
    }),
  );
  const apiToken = await tokenOf(cluster, dataDir, provision);
  const sample = await sampleProject({ baseUrl: cluster.baseUrl, apiToken }, sink.url, dataDir);
  const traces = beside && { traceUrl: beside.traceUrl };
  const ready = () => ({ ...describe({ cluster, servers, apiToken, webhookSinkUrl: sink.url }), ...traces });
  announce = () => writePrivateJson(readyFile, ready());
  // Removes the file before anything stops, so that the file never names stopped services.
  stack.defer(async () => {
    announce = async () => {};
    await rm(readyFile, { force: true });
  });
  await announce();
  onReady(ready(), sample);
  await new Promise<void>(resolve => {
    if (over.aborted) resolve();
    over.addEventListener('abort', () => resolve(), { once: true });
  });
  lost.signal.throwIfAborted();
}

/**
 * Returns the configured names of databases, topics and bucket, because external servers may also hold the data of
 * another system.
 */
const names = (env: NodeJS.ProcessEnv) => ({
  mongoDatabasePrefix: env.MONGO_DATABASE_PREFIX || undefined,
  kafkaTopicPrefix: env.KAFKA_TOPIC_PREFIX || undefined,
  s3Bucket: env.S3_BUCKET || undefined,
});

function describe(parts: { cluster: Cluster; servers: Servers; apiToken: string; webhookSinkUrl: string }): Ready {
  const { cluster, servers, apiToken, webhookSinkUrl } = parts;
  return {
    baseUrl: cluster.baseUrl,
    apiToken,
    webhookSinkUrl,
    services: Object.fromEntries(Object.entries(cluster.services).map(([name, service]) => [name, { ...service }])),
    operator: cluster.certificates.env('operator'),
    servers: {
      mongo: servers.mongoUrl,
      kafka: servers.kafkaBrokers.join(','),
      s3: servers.s3.endpoint,
      speech: servers.speechBaseUrl,
    },
    stores: {
      ...Object.fromEntries(Object.entries(servers.env).filter(([name]) => /^(?:MONGO|KAFKA|S3)_/.test(name))),
      S3_BUCKET: names(process.env).s3Bucket ?? BUCKET,
      MONGO_DATABASE_PREFIX: names(process.env).mongoDatabasePrefix ?? '',
      KAFKA_TOPIC_PREFIX: names(process.env).kafkaTopicPrefix ?? '',
    },
  };
}

/**
 * Returns the kept token if the API accepts it. Otherwise, returns the token of a new owner: a new database does not
 * know the kept token.
 */
async function tokenOf(cluster: Cluster, dataDir: string, provision: StartAllOptions['provision']): Promise<string> {
  const file = join(dataDir, 'api-token.json');
  const kept = await readJson<{ apiToken: string }>(file);
  if (kept && (await isTokenGood({ baseUrl: cluster.baseUrl, ...kept }))) return kept.apiToken;
  const { apiToken } = await provision(cluster);
  await writePrivateJson(file, { apiToken });
  return apiToken;
}

/**
 * Returns the same port in each run, because projects store the URL of their webhook. Returns another port when this
 * port is taken.
 */
async function sinkPort(dataDir: string): Promise<number> {
  const fresh = await freePort();
  const { port } = await keptSecret(join(dataDir, 'webhook-sink.json'), () => ({ port: fresh }));
  return (await isFree(port)) ? port : fresh;
}
