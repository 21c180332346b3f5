import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { provision } from '@recording-request/stack/provision';
import { SERVICES, type ServiceName } from '@recording-request/stack/service-plan';
import { type Expectations, NOTHING_EXPECTED } from '../check/expectations.ts';
import { type Leftovers, openLeftovers } from '../check/leftovers.ts';
import { type ContributeOptions, contribute } from '../contributors/contributor.ts';
import { createLedger, type Entry, type Ledger } from '../contributors/ledger.ts';
import { openTakePool, type Take, type TakePool } from '../contributors/takes.ts';
import { createOwner, type Owner, type Project } from '../owner/owner.ts';
import { openReceiver, type Receiver } from '../owner/receiver.ts';
import type { ServerName } from '../proxy/proxies.ts';
import type { Random } from '../random.ts';
import { SHORT } from './durations.ts';
import { type Faults, faultsOf } from './faults.ts';
import { type Fleet, openFleet } from './fleet.ts';
import { type Doors, openDoors } from './gateway-client.ts';

/** What a case wants of its bench. */
export interface Stage {
  /** How many processes of each service run from the start; one by default. */
  processes?: Partial<Record<ServiceName, number>>;
  /** How many there can be at most, where the case scales. */
  most?: Partial<Record<ServiceName, number>>;
  /** Over `durations.ts`. */
  env?: Record<string, string>;
  serviceEnv?: Partial<Record<ServiceName, Record<string, string>>>;
  expected?: Partial<Expectations>;
  /** Servers of the case's own: gives variables such as MONGO_URL that replace those of the run. Goes on `stack` what must be ended. */
  servers?: (dataDir: string, stack: AsyncDisposableStack) => Promise<Record<string, string>>;
}

/** The services on real servers, people who use them, and everything that can be done to both. */
export interface Bench extends AsyncDisposable {
  fleet: Fleet;
  owner: Owner;
  receiver: Receiver;
  ledger: Ledger;
  doors: Doors;
  leftovers: Leftovers;
  expected: Expectations;
  /** What a case, a client or the fleet saw broken; the checker adds its own. */
  readonly violations: string[];
  violated(sentence: string): void;
  /** The wires to a server: of every process, or of one service's. */
  wires(server: ServerName, service?: ServiceName): Faults;
  take(random: Random, options?: { speaks?: boolean; padBytes?: number }): Take;
  /** One contributor with one take; resolves when they are done. */
  contribute(
    link: { project: Project; url?: string },
    take: Take,
    random: Random,
    options?: ContributeOptions,
  ): Promise<Entry>;
  /** Many contributors, `width` at once. A share of them, `speech`, speaks in a project with transcription. */
  load(
    count: number,
    random: Random,
    options?: { width?: number; speech?: number; contribute?: ContributeOptions },
  ): Promise<Entry[]>;
  /** Two projects for `load`, made at their first use: without transcription, and with. */
  projects(): Promise<{ plain: Project; spoken: Project }>;
  /** Keeps the folders of media's jobs. */
  workDir: string;
  dataDir: string;
  /** What the names of the run's topics begin with. */
  topicPrefix: string;
  /** Where the servers are, without a wire between. */
  serversEnv: Record<string, string>;
  /** Logs and data stay on the disk when the bench is closed. */
  keep(): void;
}

const WIDTH = 8;
const SPEECH = 0.12;

/** The name of `dataDir` is also that of the run's databases, topics and bucket. It stays, with its logs, when this rejects. */
export async function openBench(
  stage: Stage,
  options: { serversEnv: Record<string, string>; dataDir: string; random: Random; signal: AbortSignal },
): Promise<Bench> {
  const { dataDir, random, signal } = options;
  await using opening = new AsyncDisposableStack();
  const name = basename(dataDir);
  const workDir = join(dataDir, 'media-work');
  const topicPrefix = `${name}.`;
  await mkdir(workDir, { recursive: true });
  let kept = true;
  opening.defer(async () => {
    if (!kept) await rm(dataDir, { recursive: true, force: true });
  });
  const serversEnv = { ...options.serversEnv, ...(await stage.servers?.(dataDir, opening)) };
  const receiver = opening.use(
    await openReceiver(id => owner.projects.find(({ projectId }) => projectId === id)?.webhookSecret),
  );
  const fleet = opening.use(
    await openFleet({
      ...{ serversEnv, name, dataDir, processes: stage.processes ?? {}, most: stage.most ?? {} },
      env: { ...SHORT, MEDIA_WORK_DIR: workDir, ...stage.env },
      serviceEnv: stage.serviceEnv ?? {},
    }),
  );
  const leftovers = opening.use(
    await openLeftovers({ env: serversEnv, databasePrefix: `${name}_`, topicPrefix, bucket: name }),
  );
  const { apiToken } = await provision({ services: addressesOf(fleet) });
  const doors = openDoors(() => fleet.gateways, random.fork('doors'));
  const owner = createOwner(doors, apiToken, receiver.url);
  const ledger = createLedger();
  const pool: TakePool = await openTakePool();
  const own: string[] = [];
  let made: Promise<{ plain: Project; spoken: Project }> | undefined;
  const stack = opening.move();
  kept = false;
  const bench: Bench = {
    ...{ fleet, owner, receiver, ledger, doors, leftovers, workDir, dataDir, topicPrefix, serversEnv },
    expected: { ...NOTHING_EXPECTED, ...stage.expected },
    get violations() {
      return [...own, ...ledger.violations, ...fleet.crashes];
    },
    violated: sentence => void own.push(sentence),
    wires(server, service) {
      const processes = service ? fleet.of(service) : fleet.all();
      return faultsOf(processes.flatMap(({ wires }) => wires.to[server]));
    },
    take: (random, options) => pool.take(random, options),
    contribute: ({ project, url }, take, random, options) =>
      contribute(
        { doors, ledger, random, signal },
        { projectId: project.projectId, link: url ?? project.sharedUrl },
        take,
        options,
      ),
    projects() {
      made ??= twoProjects(owner);
      return made;
    },
    async load(count, random, { width = WIDTH, speech = SPEECH, contribute: how } = {}) {
      const { plain, spoken } = await bench.projects();
      const entries: Entry[] = [];
      const lane = async () => {
        while (entries.length + busy < count && !signal.aborted) {
          busy++;
          const mine = random.fork(`take ${started++}`);
          const speaks = mine.chance(speech);
          const take = pool.take(mine, { speaks });
          const url = speaks ? undefined : plain.uniqueUrls.pop();
          const entry = await bench.contribute({ project: speaks ? spoken : plain, url }, take, mine, how);
          busy--;
          entries.push(entry);
        }
      };
      let busy = 0;
      let started = 0;
      await Promise.all(Array.from({ length: Math.min(width, count) }, lane));
      return entries;
    },
    keep() {
      kept = true;
    },
    async [Symbol.asyncDispose]() {
      await fleet[Symbol.asyncDispose]();
      if (!kept) await leftovers.erase().catch(() => {});
      await stack.disposeAsync();
    },
  };
  return bench;
}

async function twoProjects(owner: Owner): Promise<{ plain: Project; spoken: Project }> {
  const plain = await owner.create({ count: 5 });
  const spoken = await owner.create({ transcriptionEnabled: true });
  return { plain, spoken };
}

function addressesOf(fleet: Fleet) {
  const first = (service: ServiceName) => {
    const [{ grpc, http, pid = 0 }] = fleet.of(service) as [ReturnType<Fleet['of']>[number]];
    return { grpc, http, pid };
  };
  return Object.fromEntries(SERVICES.map(name => [name, first(name)])) as Record<ServiceName, ReturnType<typeof first>>;
}
