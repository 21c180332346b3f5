import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrateAll } from '@recording-request/admin/migrate-all';
import { type MachineCertificates, makeCertificates } from './certificates.ts';
import type { Exit } from './child-process.ts';
import { isServing } from './grpc-health.ts';
import type { Log } from './log.ts';
import type { Servers } from './servers.ts';
import {
  commonEnv,
  listenEnv,
  planAddresses,
  SERVICES,
  type ServiceAddress,
  type ServiceName,
} from './service-plan.ts';
import { type Supervised, supervise } from './supervisor.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PRELOAD = 'packages/kit-telemetry/src/preload.ts';
const GATEWAY_GRACE_MS = 10_000;
const GRACE_MS = 15_000;

export interface ClusterOptions {
  servers: Pick<Servers, 'env'>;
  /** The folder of `logs/<name>.log`, of the key that encrypts secrets, and of `tls/`. */
  dataDir: string;
  /** The gateway's port; a free one by default. */
  baseUrlPort?: number;
  /** Variables for every service. They override the cluster's own variables. */
  env?: Record<string, string>;
  serviceEnv?: Partial<Record<ServiceName, Record<string, string>>>;
  /** The prefix of topic names, so that several clusters can share one Kafka. */
  kafkaTopicPrefix?: string;
  /** The prefix of database names, so that several clusters can share one MongoDB. */
  mongoDatabasePrefix?: string;
  s3Bucket?: string;
  logLevel?: string;
  /** The services to start, all by default. Without the gateway and projects, no request succeeds. */
  only?: readonly ServiceName[];
  /** Restarts a service that dies, on the same ports. */
  restart: boolean;
  log: Log;
  /** Called when a service ends by itself. */
  onExit?: (name: ServiceName, exit: Exit) => void;
  /** Called when a restarted service is ready. */
  onRestart?: (name: ServiceName) => void;
  /** Cancels the start. */
  signal?: AbortSignal;
  /** For tests: node arguments that replace the arguments of a service. */
  nodeArgs?: (name: ServiceName) => string[];
}

/** The default bucket of a cluster. */
export const BUCKET = 'recordings';

export interface RunningService extends ServiceAddress {
  readonly pid: number;
}

export interface Cluster extends AsyncDisposable {
  /** The gateway's base URL, without a trailing slash. */
  baseUrl: string;
  /** `pid` is always the id of the current process, even after a restart. */
  services: Record<ServiceName, RunningService>;
  certificates: MachineCertificates;
  kill(name: ServiceName, signal: NodeJS.Signals): void;
  /**
   * Stops the gateway first, so that no new request arrives. Then stops the other services together. Takes at most 25
   * seconds.
   */
  stop(): Promise<void>;
}

/**
 * Migrates the databases and starts each service as a process. Resolves when each service reports SERVING and the
 * gateway's /healthz succeeds. The services end with this process, even after a crash. On failure, stops all services
 * and rejects with a sentence that names the service that did not become ready and shows the end of its log.
 */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const addresses = await planAddresses(options.baseUrlPort);
  const dataDir = resolve(options.dataDir);
  const common = await commonEnv({
    serversEnv: options.servers.env,
    addresses,
    dataDir,
    kafkaTopicPrefix: options.kafkaTopicPrefix ?? '',
    mongoDatabasePrefix: options.mongoDatabasePrefix ?? '',
    s3Bucket: options.s3Bucket ?? BUCKET,
    logLevel: options.logLevel ?? 'info',
  });
  const shared = { ...process.env, ...common, ...options.env };
  // Does not migrate for stand-ins of services in tests, because they have no database.
  if (!options.nodeArgs) await migrateAll(shared, () => {});
  const certificates = await makeCertificates(join(dataDir, 'tls'));
  const failed = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, failed.signal]) : failed.signal;
  const begin = (name: ServiceName) =>
    supervise({
      name,
      command: process.execPath,
      args: options.nodeArgs?.(name) ?? serviceArgs(name),
      cwd: ROOT,
      env: {
        ...{ ...shared, ...certificates.env(name), ...listenEnv(addresses[name]) },
        ...{ ...options.env, ...options.serviceEnv?.[name] },
      },
      logFile: join(dataDir, 'logs', `${name}.log`),
      isReady: limit => isReady(addresses[name], name === 'gateway', limit),
      restart: options.restart,
      log: options.log,
      onExit: exit => options.onExit?.(name, exit),
      onRestart: () => options.onRestart?.(name),
      signal,
    }).catch(error => {
      failed.abort(error);
      throw error;
    });
  const { only = SERVICES } = options;
  const results = await Promise.allSettled(only.map(begin));
  const running = new Map<ServiceName, Supervised>();
  results.forEach((result, index) => {
    if (result.status === 'fulfilled') running.set(only[index]!, result.value);
  });
  if (running.size < only.length) {
    await stopInOrder(running);
    throw failed.signal.reason;
  }
  return assemble(addresses, certificates, running);
}

export const serviceArgs = (name: ServiceName): string[] => [...nodeFlags(ROOT), join('services', name, 'src/main.ts')];

/**
 * Returns the node arguments that precede the file, for the version whose repository is `root`. The images use the same
 * arguments.
 */
export const nodeFlags = (root: string): string[] => [
  // kafkajs computes a negative timeout when it is idle; Node would warn about it in every log.
  '--disable-warning=TimeoutNegativeWarning',
  // The size in MiB. In a container, V8 chooses 2 or 3, and collects garbage so often that a read takes a tenth more CPU time.
  '--max-semi-space-size=16',
  '--import',
  join(root, PRELOAD),
];

function assemble(
  addresses: Record<ServiceName, ServiceAddress>,
  certificates: MachineCertificates,
  running: Map<ServiceName, Supervised>,
): Cluster {
  const service = (name: ServiceName): RunningService => ({
    ...addresses[name],
    get pid() {
      return running.get(name)!.pid;
    },
  });
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= stopInOrder(running);
    return stopping;
  };
  return {
    baseUrl: addresses.gateway.http!,
    services: Object.fromEntries(SERVICES.map(name => [name, service(name)])) as Record<ServiceName, RunningService>,
    certificates,
    kill: (name, signal) => running.get(name)?.kill(signal),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function stopInOrder(running: Map<ServiceName, Supervised>): Promise<void> {
  await running.get('gateway')?.stop(GATEWAY_GRACE_MS);
  await Promise.all([...running].map(([name, service]) => (name === 'gateway' ? undefined : service.stop(GRACE_MS))));
}

async function isReady({ health, http }: ServiceAddress, isGateway: boolean, signal: AbortSignal): Promise<boolean> {
  if (!(await isServing(health, 1_500))) return false;
  if (!isGateway) return true;
  const answer = await fetch(`${http}/healthz`, { signal });
  await answer.body?.cancel();
  return answer.status === 200;
}
