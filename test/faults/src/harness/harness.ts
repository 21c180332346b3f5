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

/** What a case requires of its harness. */
export interface HarnessOptions {
  /** How many processes of each service run at first; one by default. */
  processes?: Partial<Record<ServiceName, number>>;
  /** The most that can run, for a case that scales. */
  most?: Partial<Record<ServiceName, number>>;
  /** Overrides `durations.ts`. */
  env?: Record<string, string>;
  serviceEnv?: Partial<Record<ServiceName, Record<string, string>>>;
  /** Added to the environment of one process of a service. */
  processEnv?: (service: ServiceName, index: number) => Record<string, string>;
  /** Prepares, below `dataDir`, code of another version that some processes run. Returns the folder of a process's. */
  code?: (dataDir: string) => Promise<(service: ServiceName, index: number) => string | undefined>;
  /** The services whose processes get the memory that deploy/ gives them, and no more, where the machine allows that. */
  limited?: ServiceName[];
  /** Makes the certificates of the run in this folder; by default those of a machine. */
  certificates?: (dir: string) => Promise<FleetCertificates>;
  expected?: Partial<Expectations>;
  /** Starts servers for this case alone and returns the variables (MONGO_URL, …) that replace those of the run. Defers their end on `stack`. */
  servers?: (dataDir: string, stack: AsyncDisposableStack) => Promise<Record<string, string>>;
}

/** The services on real servers, their contributors and owner, and every fault that can be injected. */
export interface Harness extends AsyncDisposable {
  readonly fleet: Fleet;
  owner: Owner;
  /** Creates an owner beside that of the run, and returns their API token. */
  anotherOwner(): Promise<string>;
  receiver: Receiver;
  ledger: Ledger;
  gateway: GatewayClient;
  readonly leftovers: Leftovers;
  expected: Expectations;
  /** Violations that a case, a client or the fleet saw; the checker adds its own. */
  readonly violations: string[];
  violated(sentence: string): void;
  /** What was measured, for the log. */
  readonly notes: string[];
  noted(sentence: string): void;
  /** The proxies to a server: of every process, or of one service's. */
  proxies(server: ServerName, service?: ServiceName): Faults;
  take(random: Random, options?: TakeOptions): Take;
  /** Runs one contributor with one take; resolves when they are done. */
  contribute(
    link: { project: Project; url?: string },
    take: Take,
    random: Random,
    options?: ContributeOptions,
  ): Promise<Entry>;
  load: Load;
  /** Two projects for `load`, created on first use: one without transcription, one with. */
  projects(): Promise<{ plain: Project; spoken: Project }>;
  /** Holds the folders of media's jobs. */
  workDir: string;
  dataDir: string;
  /** The prefix of the run's topic names. */
  topicPrefix: string;
  /** The addresses of the servers themselves, not of the proxies. */
  readonly serversEnv: Record<string, string>;
  /**
   * Ends every process at once, forgets the servers, and starts the services on others, with the names and secrets of before.
   * `prepare` is called when nothing runs, and returns the variables of these others.
   */
  move(prepare: () => Promise<Record<string, string>>): Promise<void>;
  /** Keeps logs and data on the disk when the harness is closed. */
  keep(): void;
}

/** The name of `dataDir` also names the run's databases, topics and bucket. The folder, with its logs, stays when this rejects. */
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
  const receiver = opening.use(
    await openReceiver(id => owner.projects.find(({ projectId }) => projectId === id)?.webhookSecret),
  );
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
  /** What the processes of servers that were left did. */
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
