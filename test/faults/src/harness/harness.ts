import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { provision } from '@recording-request/stack/provision';
import type { Random } from '@recording-request/stack/random';
import { SERVICES, type ServiceName } from '@recording-request/stack/service-plan';
import { type Expectations, NOTHING_EXPECTED } from '../check/expectations.ts';
import { type Leftovers, openLeftovers } from '../check/leftovers.ts';
import { type ContributeOptions, contribute } from '../contributors/contributor.ts';
import { createLedger, type Entry, type Ledger } from '../contributors/ledger.ts';
import { openTakePool, type Take, type TakeOptions, type TakePool } from '../contributors/takes.ts';
import { createOwner, type Owner, type Project } from '../owner/owner.ts';
import { openReceiver, type Receiver } from '../owner/receiver.ts';
import type { ServerName } from '../proxy/proxies.ts';
import { SHORT } from './durations.ts';
import { type Faults, faultsOf } from './faults.ts';
import { type Fleet, type FleetCertificates, openFleet } from './fleet.ts';
import { createGatewayClient, type GatewayClient } from './gateway-client.ts';
import { createLoad, type Load, twoProjects } from './load.ts';

/** The harness options of a case. */
export interface HarnessOptions {
  /** The number of processes of each service at the start; one by default. */
  processes?: Partial<Record<ServiceName, number>>;
  /** The most processes of each service, for a case that scales. */
  most?: Partial<Record<ServiceName, number>>;
  /** Overrides `durations.ts`. */
  env?: Record<string, string>;
  serviceEnv?: Partial<Record<ServiceName, Record<string, string>>>;
  /** Returns variables that are added to the environment of one process of a service. */
  processEnv?: (service: ServiceName, index: number) => Record<string, string>;
  /**
   * Prepares the code of another version below `dataDir`. Returns a function that returns the folder of a process's
   * code.
   */
  code?: (dataDir: string) => Promise<(service: ServiceName, index: number) => string | undefined>;
  /** The services that get the memory limit of deploy/, if the machine supports it. */
  limited?: ServiceName[];
  /** Makes the run's certificates in this folder; by default, the run uses the machine's certificates. */
  certificates?: (dir: string) => Promise<FleetCertificates>;
  expected?: Partial<Expectations>;
  /**
   * Starts servers for this case only. Returns the variables (MONGO_URL, …) that replace the variables of the run.
   * `stack` ends the servers.
   */
  servers?: (dataDir: string, stack: AsyncDisposableStack) => Promise<Record<string, string>>;
}

/** The services on real servers, their contributors and owner, and every fault that can be injected. */
export interface Harness extends AsyncDisposable {
  readonly fleet: Fleet;
  owner: Owner;
  /** Creates another owner, and returns its API token. */
  anotherOwner(): Promise<string>;
  receiver: Receiver;
  ledger: Ledger;
  gateway: GatewayClient;
  readonly leftovers: Leftovers;
  expected: Expectations;
  /** Violations that a case, a client or the fleet saw. The checker adds the violations that it finds. */
  readonly violations: string[];
  violated(sentence: string): void;
  /** Measurements that are written to the log. */
  readonly notes: string[];
  noted(sentence: string): void;
  /** Returns the proxies to a server: the proxies of every process, or of one service. */
  proxies(server: ServerName, service?: ServiceName): Faults;
  take(random: Random, options?: TakeOptions): Take;
  /** Runs one contributor with one take; resolves when it is done. */
  contribute(
    link: { project: Project; url?: string },
    take: Take,
    random: Random,
    options?: ContributeOptions,
  ): Promise<Entry>;
  load: Load;
  /** Returns two projects for `load`, without and with transcription. Creates them on first use. */
  projects(): Promise<{ plain: Project; spoken: Project }>;
  /** The folder of media's jobs. */
  workDir: string;
  dataDir: string;
  /** The prefix of the run's topic names. */
  topicPrefix: string;
  /** The variables with the addresses of the servers themselves, not of the proxies. */
  readonly serversEnv: Record<string, string>;
  /**
   * Kills every process, and starts the services on other servers with the same names and secrets. Calls `prepare` when
   * all processes have ended; `prepare` returns the variables of the new servers.
   */
  move(prepare: () => Promise<Record<string, string>>): Promise<void>;
  /** Keeps logs and data on the disk when the harness is closed. */
  keep(): void;
}

/** Opens a harness. The name of `dataDir` also names the run's databases, topics and bucket. Keeps the folder when it rejects. */
export async function openHarness(
  options: HarnessOptions,
  run: { serversEnv: Record<string, string>; dataDir: string; random: Random; signal: AbortSignal },
): Promise<Harness> {
  const { dataDir, random, signal } = run;
  await using opening = new AsyncDisposableStack();
  const name = basename(dataDir);
  const workDir = join(dataDir, 'media-work');
  const topicPrefix = `${name}.`;
  await mkdir(workDir, { recursive: true });
  let kept = true;
  opening.defer(async () => {
    if (!kept) await rm(dataDir, { recursive: true, force: true });
  });
  let serversEnv = { ...run.serversEnv, ...(await options.servers?.(dataDir, opening)) };
  const receiver = opening.use(await openReceiver(id => owner.secretsOf(id)));
  const code = (await options.code?.(dataDir)) ?? (() => undefined);
  const start = () =>
    openFleet({
      ...{ serversEnv, name, dataDir, processes: options.processes ?? {}, most: options.most ?? {} },
      env: { ...SHORT, MEDIA_WORK_DIR: workDir, ...options.env },
      serviceEnv: options.serviceEnv ?? {},
      processEnv: options.processEnv ?? (() => ({})),
      code,
      limited: options.limited ?? [],
      certificates: options.certificates,
    });
  const watch = () => openLeftovers({ env: serversEnv, databasePrefix: `${name}_`, topicPrefix, bucket: name });
  let fleet = await start();
  opening.defer(() => fleet[Symbol.asyncDispose]());
  let leftovers = await watch();
  opening.defer(() => leftovers[Symbol.asyncDispose]());
  /** The crashes of processes before a move to other servers. */
  const crashes: string[] = [];
  const { apiToken } = await provision(addressesOf(fleet));
  const gateway = createGatewayClient(() => fleet.gateways, random.fork('gateway'));
  const owner = createOwner(gateway, apiToken, receiver.url);
  const ledger = createLedger();
  const pool: TakePool = await openTakePool();
  const own: string[] = [];
  const notes: string[] = [];
  let made: Promise<{ plain: Project; spoken: Project }> | undefined;
  const stack = opening.move();
  kept = false;
  const load = createLoad({
    pool,
    signal,
    projects: () => harness.projects(),
    contribute: (place, take, random, how) => harness.contribute(place, take, random, how),
  });
  const harness: Harness = {
    ...{ owner, receiver, ledger, gateway, workDir, dataDir, topicPrefix },
    get fleet() {
      return fleet;
    },
    get leftovers() {
      return leftovers;
    },
    get serversEnv() {
      return serversEnv;
    },
    async move(prepare) {
      crashes.push(...fleet.crashes);
      await fleet[Symbol.asyncDispose]();
      await leftovers.erase();
      await leftovers[Symbol.asyncDispose]();
      serversEnv = { ...serversEnv, ...(await prepare()) };
      leftovers = await watch();
      fleet = await start();
    },
    expected: { ...NOTHING_EXPECTED, ...options.expected },
    get violations() {
      return [...own, ...ledger.violations, ...crashes, ...fleet.crashes];
    },
    violated: sentence => void own.push(sentence),
    notes,
    noted: sentence => void notes.push(sentence),
    anotherOwner: async () => (await provision(addressesOf(fleet))).apiToken,
    proxies(server, service) {
      const processes = service ? fleet.of(service) : fleet.all();
      return faultsOf(processes.flatMap(({ proxies }) => proxies.to[server]));
    },
    take: (random, takeOptions) => pool.take(random, takeOptions),
    contribute: ({ project, url }, take, random, how) =>
      contribute(
        { gateway, ledger, random, signal },
        { projectId: project.projectId, link: url ?? project.sharedUrl },
        take,
        how,
      ),
    projects() {
      made ??= twoProjects(owner);
      return made;
    },
    load: (count, random, how) => load(count, random, how),
    keep() {
      kept = true;
    },
    async [Symbol.asyncDispose]() {
      await fleet[Symbol.asyncDispose]();
      if (!kept) await leftovers.erase().catch(() => {});
      await stack.disposeAsync();
    },
  };
  return harness;
}

function addressesOf(fleet: Fleet) {
  const first = (service: ServiceName) => {
    const [{ health, grpc, operator, http, pid = 0 }] = fleet.of(service) as [ReturnType<Fleet['of']>[number]];
    return { health, grpc, operator, http, pid };
  };
  const services = SERVICES.map(name => [name, first(name)] as const);
  const { certificates } = fleet;
  return { services: Object.fromEntries(services) as Record<ServiceName, ReturnType<typeof first>>, certificates };
}
