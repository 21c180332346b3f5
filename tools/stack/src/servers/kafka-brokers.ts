import { join } from 'node:path';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import type { KafkaInstall } from '../install/kafka.ts';
import { run } from '../install/run.ts';
import { freePort } from '../ports.ts';
import { waitFor } from '../wait.ts';
import { classArguments, type KafkaNode, newClusterId, startKafka } from './kafka.ts';
import type { SecureKafka } from './kafka-secure.ts';
import type { Killed } from './killed.ts';
import type { RunningServer, ServerCertificate } from './start-server.ts';

export interface BrokersOptions {
  /** The folder of the data and of `logs/kafka-<n>.log`. */
  dataDir: string;
  host?: string;
  /** With a certificate, each broker also has a listener for TLS with SCRAM-SHA-512. */
  certificate?: ServerCertificate;
  /** The passwords of the initial users, by name. */
  users?: Record<string, string>;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal;
}

/**
 * Three brokers of one cluster on one machine. They are also its controllers. Topics have three replicas, and two of
 * them must store a record before it is acknowledged.
 */
export interface Brokers extends AsyncDisposable {
  /** The addresses of the listeners without TLS and login. */
  addresses: string[];
  /** The addresses of the listeners with TLS and login; none without a certificate. */
  secureAddresses: string[];
  /**
   * Ends the broker that leads the most partitions, not counting Kafka's internal topics. Resolves when the broker has
   * ended.
   */
  killLeader(): Promise<Killed>;
  /** Creates a user for SCRAM-SHA-512, or changes its password. */
  setUser(name: string, password: string): Promise<void>;
  removeUser(name: string): Promise<void>;
}

interface Broker {
  id: number;
  address: string;
  secure: SecureKafka | undefined;
  start(): Promise<void>;
  running: RunningServer | undefined;
}

const IDS = [1, 2, 3];
const COMMAND_MS = 60_000;
const WHOLE = { timeoutMs: 120_000, checkMs: 10_000, intervalMs: 250 };

/** Starts the brokers. Resolves when each broker sees the others. The brokers end with this process, or on disposal. */
export async function startBrokers(install: KafkaInstall, options: BrokersOptions): Promise<Brokers> {
  const { env = process.env, signal } = options;
  const brokers = await brokersOf(install, options);
  await using ending = new AsyncDisposableStack();
  ending.defer(async () => void (await Promise.all(brokers.map(({ running }) => running?.child?.stop(0)))));
  await startAll(brokers);
  const opened = ending.move();
  const addresses = brokers.map(({ address }) => address);
  const asAdmin = async <T>(work: (admin: Admin) => Promise<T>): Promise<T> => {
    const admin = new Kafka({ brokers: addresses, logLevel: logLevel.NOTHING }).admin();
    try {
      await admin.connect();
      return await work(admin);
    } finally {
      await admin.disconnect();
    }
  };
  const alterUser = async (name: string, change: string[]) => {
    const command = ['kafka.admin.ConfigCommand', '--bootstrap-server', addresses.join(','), '--alter'];
    const args = [...classArguments(install), ...command, ...change, '--entity-type', 'users', '--entity-name', name];
    await run(install.java, args, { what: `a user of Kafka`, log: () => {}, timeoutMs: COMMAND_MS, env, signal });
  };
  return {
    addresses,
    secureAddresses: brokers.flatMap(({ address, secure }) =>
      secure ? [`${address.split(':')[0]}:${secure.saslPort}`] : [],
    ),
    async killLeader() {
      const leader = await asAdmin(leaderOfMost);
      const broker = brokers.find(({ id }) => id === leader)!;
      const child = broker.running!.child!;
      const at = Date.now();
      child.kill('SIGKILL');
      await child.exited;
      return {
        address: broker.address,
        at,
        async restart() {
          await broker.start();
          await waitFor('every replica', () => asAdmin(isWhole), { ...WHOLE, signal });
        },
      };
    },
    setUser: (name, password) => alterUser(name, ['--add-config', `SCRAM-SHA-512=[password=${password}]`]),
    removeUser: name => alterUser(name, ['--delete-config', 'SCRAM-SHA-512']),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Starts all brokers at once, because no broker is ready before a majority runs. */
async function startAll(brokers: Broker[]): Promise<void> {
  const results = await Promise.allSettled(brokers.map(({ start }) => start()));
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
}

async function brokersOf(install: KafkaInstall, options: BrokersOptions): Promise<Broker[]> {
  const { dataDir, host = '127.0.0.1', certificate, users = {}, env = process.env, signal } = options;
  const controllers: string[] = [];
  for (const _ of IDS) controllers.push(`${host}:${await freePort()}`);
  const clusterId = newClusterId();
  return await Promise.all(
    IDS.map(async id => {
      const port = await freePort();
      const place = { dataDir: join(dataDir, `kafka-${id}`), logFile: join(dataDir, `logs/kafka-${id}.log`) };
      const seat: KafkaNode = { id, clusterId, controllers };
      const secure = certificate && { ...certificate, users, saslPort: await freePort() };
      const broker: Broker = {
        id,
        address: `${host}:${port}`,
        secure,
        running: undefined,
        async start() {
          broker.running = await startKafka(install, { ...place, host, port, env, signal }, secure, seat);
        },
      };
      return broker;
    }),
  );
}

async function partitionsOf(admin: Admin): Promise<{ leader: number; isr: number[]; isOwn: boolean }[]> {
  const { topics } = await admin.fetchTopicMetadata();
  return topics.flatMap(({ name, partitions }) =>
    partitions.map(({ leader, isr }) => ({ leader, isr, isOwn: name.startsWith('__') })),
  );
}

async function leaderOfMost(admin: Admin): Promise<number> {
  const led = (await partitionsOf(admin)).filter(({ isOwn }) => !isOwn).map(({ leader }) => leader);
  const countOf = (id: number) => led.filter(each => each === id).length;
  return IDS.toSorted((one, other) => countOf(other) - countOf(one))[0]!;
}

async function isWhole(admin: Admin): Promise<true | undefined> {
  return (await partitionsOf(admin)).every(({ isr }) => isr.length === IDS.length) ? true : undefined;
}
