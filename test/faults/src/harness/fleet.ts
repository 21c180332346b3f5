import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { migrateAll } from '@recording-request/admin/migrate-all';
import type { Caller } from '@recording-request/proto/callers';
import { makeCertificates } from '@recording-request/stack/certificates';
import { type Child, startChild } from '@recording-request/stack/child-process';
import { nodeFlags } from '@recording-request/stack/cluster';
import { isServing } from '@recording-request/stack/grpc-health';
import {
  commonEnv,
  listenEnv,
  operatorEnv,
  planAddress,
  SERVICES,
  type ServiceAddress,
  type ServiceName,
} from '@recording-request/stack/service-plan';
import { waitFor, words } from '@recording-request/stack/wait';
import { openProxies, type Proxies } from '../proxy/proxies.ts';
import { type FaultProxy, openProxy } from '../proxy/proxy.ts';
import { type MemoryGroup, manifestMemory, openMemoryGroup } from './memory-group.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const READY_MS = 180_000;
const STOP_GRACE_MS = 40_000;
/**
 * Replaces `preStop` of deploy/k8s/base/pod.yaml. Without it, the kernel resets connections that a closing listener has not
 * accepted.
 */
const BALANCER_MS = 1_000;

/** One planned process of a service, which may or may not run. */
export interface Process extends ServiceAddress {
  readonly service: ServiceName;
  readonly index: number;
  readonly proxies: Proxies;
  /** Undefined while the process does not run. */
  readonly pid: number | undefined;
  /** True if the process has answered since its start and is not stopping. */
  readonly ready: boolean;
  readonly starts: number;
  /** The memory limit in its manifest, if the case requested it and this machine supports it. */
  readonly memory: MemoryGroup | undefined;
}

/** The run's certificate files. */
export interface FleetCertificates {
  /** Returns the variables with the files of a process or of the operator. */
  env(name: Caller, index?: number): Record<string, string>;
}

/** The services as processes, several of each if needed. A test can kill, stop and halt each process. */
export interface Fleet extends AsyncDisposable {
  /** The gateways' base URLs without a trailing slash. Excludes stopping gateways unless there are no others. */
  readonly gateways: string[];
  of(service: ServiceName): Process[];
  all(): Process[];
  /** Starts a process and waits until it answers. Does nothing if it already runs. */
  start(process: Process): Promise<void>;
  /** Sends SIGKILL synchronously; resolves when the process is gone. */
  kill(process: Process): Promise<void>;
  /** Sends SIGTERM and waits for the process to exit. Rejects when it does not exit in time. */
  stop(process: Process): Promise<void>;
  /** Sends SIGSTOP; `resume` sends SIGCONT. */
  halt(process: Process): void;
  resume(process: Process): void;
  /** Starts or stops processes until `count` processes run. */
  scale(service: ServiceName, count: number): Promise<void>;
  /** Adds variables for later starts of a service's processes. */
  reconfigure(service: ServiceName, env: Record<string, string>): void;
  /** Returns the variables with which `npm run admin` reaches the fleet. */
  operatorEnv(): Record<string, string>;
  readonly certificates: FleetCertificates;
  /** A sentence for each process that ended by itself. */
  readonly crashes: string[];
}

export interface FleetOptions {
  /** MONGO_URL and so on; every process reaches the servers through its own proxies. */
  serversEnv: Record<string, string>;
  /** The prefix of the run's databases, topics and bucket. */
  name: string;
  /** The folder with `logs/<service>-<index>.log`. */
  dataDir: string;
  /** Added to the environment of every process. */
  env: Record<string, string>;
  serviceEnv: Partial<Record<ServiceName, Record<string, string>>>;
  processEnv: (service: ServiceName, index: number) => Record<string, string>;
  /** Returns the folder of a process's code; undefined means this version. */
  code: (service: ServiceName, index: number) => string | undefined;
  /** The number of processes of each service at the start; one by default. */
  processes: Partial<Record<ServiceName, number>>;
  /** The most processes of each service that `scale` can start. */
  most: Partial<Record<ServiceName, number>>;
  /** The services with the memory limit of deploy/. */
  limited: ServiceName[];
  /** Makes the certificates in a folder of the run. */
  certificates?: ((dir: string) => Promise<FleetCertificates>) | undefined;
}

interface Place extends ServiceAddress {
  service: ServiceName;
  index: number;
  proxies: Proxies;
  memory: MemoryGroup | undefined;
  env: Record<string, string>;
  child: Child | undefined;
  pid: number | undefined;
  ready: boolean;
  starts: number;
  /** True while the harness stops the process, so that it does not restart. */
  ending: boolean;
  /** True from the time when a load balancer would stop sending requests until the process exits. */
  leaving: boolean;
}

export async function openFleet(options: FleetOptions): Promise<Fleet> {
  await using opening = new AsyncDisposableStack();
  const places: Place[] = [];
  for (const service of SERVICES) {
    const most = Math.max(options.processes[service] ?? 1, options.most[service] ?? 1);
    for (let index = 0; index < most; index++) places.push(await plan(service, index, options, opening));
  }
  const of = (service: ServiceName) => places.filter(place => place.service === service);
  const uploads = opening.use(await openProxy({ targets: () => listening(of('submissions')) }));
  const certificates = await (options.certificates ?? makeCertificates)(join(options.dataDir, 'tls'));
  const shared = await sharedEnv(places, uploads, options);
  await migrateAll({ ...process.env, ...shared }, () => {});
  for (const place of places) {
    const own = { ...options.serviceEnv[place.service], ...options.processEnv(place.service, place.index) };
    const certificate = certificates.env(place.service, place.index);
    place.env = { ...certificate, ...shared, ...place.proxies.env, ...listenEnv(place), ...own };
  }

  const crashes: string[] = [];
  let closing = false;
  const start = async (place: Place): Promise<void> => {
    if (closing) throw new Error('the harness is closed');
    if (place.child && !place.child.exit) return;
    place.ending = false;
    place.starts += 1;
    const name = `${place.service}-${place.index}`;
    const root = options.code(place.service, place.index) ?? ROOT;
    const plain = [...nodeFlags(root), join('services', place.service, 'src/main.ts')];
    const [command, args] = place.memory?.wrap(process.execPath, plain) ?? [process.execPath, plain];
    const child = await startChild({
      ...{ name, command, args },
      cwd: root,
      env: { ...process.env, ...place.env },
      logFile: join(options.dataDir, 'logs', `${name}.log`),
    });
    if (closing) {
      await child.stop(0);
      throw new Error('the harness is closed');
    }
    place.child = child;
    place.pid = child.pid;
    child.exited.then(exit => {
      const unexpected = !place.ending && !closing;
      if (unexpected && place.ready) crashes.push(`${name} ended by itself (${words(exit)})`);
      place.ready = false;
      if (place.child === child) place.pid = undefined;
      // Restarts a process that dies during its start because a server is down, as a supervisor would.
      if (unexpected) setTimeout(() => void (closing || place.ending || start(place).catch(() => {})), 500).unref();
    });
    await waitFor(name, () => answers(place), { timeoutMs: READY_MS });
  };
  const fleet: Fleet = {
    get gateways() {
      const all = of('gateway');
      const staying = all.filter(({ leaving }) => !leaving);
      return (staying.length > 0 ? staying : all).map(({ http }) => http!);
    },
    of,
    all: () => places,
    certificates,
    reconfigure(service, env) {
      for (const place of of(service)) place.env = { ...place.env, ...env };
    },
    operatorEnv() {
      const operatorAddresses = (service: ServiceName) => ({
        operator: `ipv4:///${of(service).map(({ operator }) => operator)}`,
      });
      const addresses = {
        projects: operatorAddresses('projects'),
        submissions: operatorAddresses('submissions'),
        webhooks: operatorAddresses('webhooks'),
      };
      return { ...operatorEnv(addresses as Parameters<typeof operatorEnv>[0]), ...certificates.env('operator') };
    },
    crashes,
    start: process => start(process as Place),
    async kill(process) {
      const place = process as Place;
      end(place);
      place.child?.kill('SIGKILL');
      await place.child?.exited;
    },
    async stop(process) {
      const place = process as Place;
      end(place);
      place.leaving = true;
      await delay(BALANCER_MS);
      const exit = await place.child?.stop(STOP_GRACE_MS);
      place.leaving = false;
      if (exit?.signal === 'SIGKILL')
        throw new Error(`${place.service}-${place.index} did not stop within ${STOP_GRACE_MS / 1_000} s of SIGTERM`);
    },
    halt: process => (process as Place).child?.kill('SIGSTOP'),
    resume: process => (process as Place).child?.kill('SIGCONT'),
    async scale(service, count) {
      const all = of(service);
      await Promise.all(all.map((place, at) => (at < count ? start(place) : fleet.stop(place))));
    },
    async [Symbol.asyncDispose]() {
      closing = true;
      await Promise.all(places.map(({ child }) => child?.stop(0)));
      await stack.disposeAsync();
    },
  };
  const first = places.filter(place => place.index < (options.processes[place.service] ?? 1));
  const stack = opening.move();
  try {
    await Promise.all(first.map(start));
  } catch (error) {
    await fleet[Symbol.asyncDispose]();
    throw error;
  }
  return fleet;
}

function end(place: Place): void {
  place.ending = true;
  place.ready = false;
}

async function plan(
  service: ServiceName,
  index: number,
  { serversEnv, env, name, limited }: FleetOptions,
  opening: AsyncDisposableStack,
): Promise<Place> {
  const memory = limited.includes(service)
    ? await openMemoryGroup(`${name}.${service}-${index}`, await manifestMemory(service))
    : undefined;
  if (memory) opening.use(memory);
  const address = await planAddress(service);
  return {
    service,
    index,
    ...address,
    proxies: opening.use(await openProxies({ ...serversEnv, ...env })),
    memory,
    env: {},
    child: undefined,
    pid: undefined,
    ready: false,
    starts: 0,
    ending: false,
    leaving: false,
  };
}

async function answers(place: Place): Promise<true | undefined> {
  if (!(await isServing(place.health, 1_500))) return undefined;
  if (place.service === 'gateway') {
    const answer = await fetch(`${place.http}/healthz`);
    await answer.body?.cancel();
    if (answer.status !== 200) return undefined;
  }
  place.ready = true;
  return true;
}

/** Returns the processes that a load balancer would use: the ready processes, or all processes if none is ready. */
function listening(places: Place[]): string[] {
  const ready = places.filter(place => place.ready);
  return (ready.length > 0 ? ready : places).map(({ http }) => new URL(http!).host);
}

async function sharedEnv(
  places: Place[],
  uploads: FaultProxy,
  { serversEnv, name, dataDir, env }: FleetOptions,
): Promise<Record<string, string>> {
  const first = Object.fromEntries(
    SERVICES.map(service => [service, places.find(place => place.service === service)!]),
  ) as Record<ServiceName, Place>;
  const common = await commonEnv({
    ...{ serversEnv, dataDir, addresses: first },
    ...{ kafkaTopicPrefix: `${name}.`, mongoDatabasePrefix: `${name}_`, s3Bucket: name },
    logLevel: process.env.LOG_LEVEL ?? 'info',
  });
  // Returns the addresses of all processes of a service. gRPC uses the processes that respond.
  const target = (service: ServiceName) => {
    const mine = places.filter(place => place.service === service);
    return `ipv4:///${mine.map(({ grpc }) => grpc).join(',')}`;
  };
  return {
    ...common,
    PROJECTS_GRPC: target('projects'),
    SUBMISSIONS_GRPC: target('submissions'),
    MEDIA_GRPC: target('media'),
    WEBHOOKS_GRPC: target('webhooks'),
    SUBMISSIONS_HTTP: `https://127.0.0.1:${uploads.port}`,
    ...env,
  };
}
