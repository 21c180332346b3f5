import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Exit } from './child-process.ts';
import { ensure, type Installed, type ServerName } from './install/ensure.ts';
import type { Log } from './log.ts';
import { freePort } from './ports.ts';
import { externalServer } from './servers/external.ts';
import { startKafka } from './servers/kafka.ts';
import type { SecureKafka } from './servers/kafka-secure.ts';
import { startMinio } from './servers/minio.ts';
import { startMongo } from './servers/mongo.ts';
import { startSpeech } from './servers/speech.ts';
import type { RunningServer, ServerCertificate, StartContext } from './servers/start-server.ts';

export interface ServersOptions {
  /** The folder of the servers' data and of `logs/<name>.log`; created when missing. */
  dataDir: string;
  /** The listen address of all servers; 127.0.0.1 by default. */
  host?: string;
  /** The ports of the servers; free ports by default. */
  ports?: Partial<Record<ServerName, number>>;
  /** The servers to start; all four by default. */
  only?: ServerName[];
  log: Log;
  /** Additional listeners of Kafka. */
  secureKafka?: SecureKafka;
  /** With a certificate, MongoDB also accepts TLS, and the object store accepts only TLS. */
  certificate?: ServerCertificate;
  /** Cancels the start. `stop` ends running servers. */
  signal?: AbortSignal;
  /** Called when a server ends by itself. */
  onExit?: (name: ServerName, exit: Exit) => void;
  env?: NodeJS.ProcessEnv;
}

export interface Servers extends AsyncDisposable {
  mongoUrl: string;
  kafkaBrokers: string[];
  s3: { endpoint: string; accessKey: string; secretKey: string; region: string };
  /** The base URL, which ends in /v1, as OpenAI's clients expect. */
  speechBaseUrl: string;
  /**
   * The variables MONGO_URL, KAFKA_BROKERS, S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY, S3_REGION, SPEECH_BASE_URL,
   * SPEECH_API_KEY and SPEECH_MODEL, without the variables of servers that were not requested.
   */
  env: Record<string, string>;
  /** A server that runs elsewhere has no pid. */
  servers: Partial<Record<ServerName, { pid?: number; url: string }>>;
  /** Ends all servers within ten seconds. Their data stays. */
  stop(): Promise<void>;
}

const ALL: ServerName[] = ['mongo', 'kafka', 's3', 'speech'];

/**
 * Finds or installs the servers and starts them in parallel on 127.0.0.1. They end with this process, even after a
 * crash. The addresses of servers that are not in `only` are empty. On failure, stops all servers and rejects with a
 * sentence that names the server that did not become ready and shows the end of its log.
 */
export async function startServers(options: ServersOptions): Promise<Servers> {
  const { only = ALL, log, host = '127.0.0.1', env = process.env, onExit } = options;
  const dataDir = resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true });
  const external = new Map(only.map(name => [name, externalServer(name, env)] as const));
  const own = only.filter(name => !external.get(name));
  const installed = await ensure(own, log, { env, signal: options.signal });

  // At the first failure, stops waiting for the other servers.
  const failed = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, failed.signal]) : failed.signal;
  const begin = async (name: ServerName): Promise<RunningServer> => {
    const outside = external.get(name);
    if (outside) return outside;
    const port = options.ports?.[name] ?? (await freePort());
    const logFile = join(dataDir, 'logs', `${name}.log`);
    const context = { dataDir, host, port, logFile, env, signal, certificate: options.certificate };
    return startOne(name, installed, context, options.secureKafka).catch(error => {
      failed.abort(error);
      throw error;
    });
  };
  const results = await Promise.allSettled(only.map(begin));
  const running = results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []));
  if (running.length < only.length) {
    await stopAll(running);
    throw failed.signal.reason ?? results.find(result => result.status === 'rejected')?.reason;
  }
  return assemble(running, onExit);
}

function assemble(running: RunningServer[], onExit: ServersOptions['onExit']): Servers {
  let stopping: Promise<void> | undefined;
  for (const { name, child } of running) {
    child?.exited.then(exit => {
      if (!stopping) onExit?.(name, exit);
    });
  }
  const env: Record<string, string> = Object.assign({}, ...running.map(server => server.env));
  const stop = () => {
    stopping ??= stopAll(running);
    return stopping;
  };
  return {
    mongoUrl: env.MONGO_URL ?? '',
    kafkaBrokers: env.KAFKA_BROKERS?.split(',') ?? [],
    s3: {
      endpoint: env.S3_ENDPOINT ?? '',
      accessKey: env.S3_ACCESS_KEY ?? '',
      secretKey: env.S3_SECRET_KEY ?? '',
      region: env.S3_REGION ?? '',
    },
    speechBaseUrl: env.SPEECH_BASE_URL ?? '',
    env,
    servers: Object.fromEntries(running.map(({ name, child, url }) => [name, { pid: child?.pid, url }])),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function startOne(
  name: ServerName,
  installed: Installed,
  context: StartContext,
  secureKafka: SecureKafka | undefined,
): Promise<RunningServer> {
  switch (name) {
    case 'mongo':
      return startMongo(installed.mongo!, context);
    case 'kafka':
      return startKafka(installed.kafka!, context, secureKafka);
    case 's3':
      return startMinio(installed.s3!, context);
    case 'speech':
      return startSpeech(installed.speech!, context);
  }
}

async function stopAll(running: RunningServer[]): Promise<void> {
  await Promise.all(running.map(({ child, graceMs }) => child?.stop(graceMs)));
}
