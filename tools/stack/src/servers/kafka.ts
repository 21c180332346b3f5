import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { startChild } from '../child-process.ts';
import { exists } from '../files.ts';
import type { KafkaInstall } from '../install/kafka.ts';
import { run } from '../install/run.ts';
import { freePort } from '../ports.ts';
import { waitFor } from '../wait.ts';
import { formatArguments, type SecureKafka, secureListeners, secureProperties } from './kafka-secure.ts';
import { type RunningServer, readyOrKilled, type StartContext } from './start-server.ts';

const READY_MS = 90_000;
const FORMAT_MS = 60_000;
const LOCAL = '127.0.0.1';

/** The place of a broker in its cluster, where each broker is also a controller. */
export interface KafkaNode {
  /** Counts from 1. */
  id: number;
  clusterId: string;
  /** The host and port of each controller, in the order of their ids. */
  controllers: string[];
}

/**
 * Starts a Kafka process that is broker and controller, by default the only one of its cluster. Resolves when a client
 * sees every broker and a controller. With `secure`, the broker also has listeners for TLS.
 */
export async function startKafka(
  install: KafkaInstall,
  context: StartContext,
  secure?: SecureKafka,
  seat?: KafkaNode,
): Promise<RunningServer> {
  const { dataDir, host, port, logFile, env, signal } = context;
  const home = join(dataDir, 'kafka');
  const logs = join(home, 'data');
  await mkdir(logs, { recursive: true });
  const properties = join(home, 'server.properties');
  const logging = join(home, 'log4j2.properties');
  const own = seat ?? { id: 1, clusterId: newClusterId(), controllers: [`${LOCAL}:${await freePort()}`] };
  await writeFile(properties, propertiesOf(serverProperties({ host, port, logs, seat: own }, secure)));
  await writeFile(logging, LOGGING);
  // At each login, a broker looks up the name of its own address. Without a DNS server, this would take seconds, so the
  // address is in a hosts file.
  const hosts = join(home, 'hosts');
  await writeFile(hosts, `${host} ${hostname()}\n`);
  const { java } = install;
  const classes = classArguments(
    install,
    ...[`-Dlog4j2.configurationFile=${logging}`, `-Djdk.net.hosts.file=${hosts}`],
  );
  if (!(await exists(join(logs, 'meta.properties')))) {
    const format = ['kafka.tools.StorageTool', 'format', '-t', own.clusterId, '-c', properties];
    const what = 'formatting Kafka’s storage';
    const users = formatArguments(secure);
    await run(java, [...classes, ...format, ...users], { what, log: () => {}, timeoutMs: FORMAT_MS, env, signal });
  }
  const child = await startChild({
    name: 'kafka',
    command: java,
    args: [...classes, 'kafka.Kafka', properties],
    env,
    logFile,
  });
  const broker = `${host}:${port}`;
  const isReady = () => answers(broker, own.controllers.length);
  await readyOrKilled(child, waitFor('kafka', isReady, { timeoutMs: READY_MS, intervalMs: 150, child, signal }));
  return { name: 'kafka', url: broker, env: { KAFKA_BROKERS: broker }, child, graceMs: 8_000 };
}

export const newClusterId = (): string => randomBytes(16).toString('base64url').replace(/^-/, 'A');

/** Returns the java arguments before the name of a Kafka program. */
export const classArguments = ({ libs }: KafkaInstall, ...more: string[]): string[] => [
  ...['-Xmx384m', '-Xms128m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto'],
  ...[...more, '-cp', join(libs, '*')],
];

async function answers(broker: string, count: number): Promise<true | undefined> {
  const once = { connectionTimeout: 1_000, requestTimeout: 3_000, retry: { retries: 0 } };
  const admin = new Kafka({ clientId: 'stack', brokers: [broker], logLevel: logLevel.NOTHING, ...once }).admin();
  try {
    await admin.connect();
    const { brokers, controller } = await admin.describeCluster();
    return brokers.length === count && controller !== null ? true : undefined;
  } finally {
    await admin.disconnect().catch(() => {});
  }
}

function serverProperties(
  { host, port, logs, seat }: { host: string; port: number; logs: string; seat: KafkaNode },
  secure: SecureKafka | undefined,
): Record<string, string | number | boolean> {
  const { id, controllers } = seat;
  const copies = controllers.length;
  const listeners = [`PLAINTEXT://${host}:${port}`, ...secureListeners(host, secure)].join(',');
  return {
    'process.roles': 'broker,controller',
    'node.id': id,
    'controller.quorum.voters': controllers.map((address, at) => `${at + 1}@${address}`).join(','),
    listeners: `${listeners},CONTROLLER://${controllers[id - 1]}`,
    'advertised.listeners': listeners,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SSL:SSL,SASL_SSL:SASL_SSL',
    'log.dirs': logs,
    // The broker must not create topics, because a migration creates each topic with the right number of partitions.
    'auto.create.topics.enable': false,
    'default.replication.factor': copies,
    // So acknowledged records survive the loss of one broker, and such a loss does not block writes.
    'min.insync.replicas': Math.max(1, copies - 1),
    'offsets.topic.replication.factor': copies,
    'offsets.topic.num.partitions': 4,
    'offsets.topic.segment.bytes': 8 * 1024 * 1024,
    'transaction.state.log.replication.factor': copies,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 1,
    'share.coordinator.state.topic.replication.factor': copies,
    'share.coordinator.state.topic.min.isr': 1,
    'share.coordinator.state.topic.num.partitions': 1,
    // On one machine, all members of a group start at once, so the first assignment need not wait for more members.
    'group.initial.rebalance.delay.ms': 0,
    'log.segment.bytes': 16 * 1024 * 1024,
    'log.index.size.max.bytes': 1024 * 1024,
    'log.retention.hours': 72,
    // The default of 128 MB would be a third of this heap.
    'log.cleaner.dedupe.buffer.size': 4 * 1024 * 1024,
    'num.network.threads': 2,
    'num.io.threads': 4,
    'background.threads': 2,
    'num.recovery.threads.per.data.dir': 1,
    ...secureProperties(secure),
  };
}

const propertiesOf = (settings: Record<string, string | number | boolean>): string =>
  Object.entries(settings)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');

const LOGGING = `rootLogger.level = warn
rootLogger.appenderRef.out.ref = out
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d{ISO8601} %p %c{1} %m%n
logger.server.name = kafka.server.KafkaRaftServer
logger.server.level = info
`;
