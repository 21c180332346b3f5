import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
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

/**
 * Kafka as one process that is broker and controller; resolves when a client sees it as the cluster's controller.
 * With `secure` it has listeners for TLS as well.
 */
export async function startKafka(
  { libs, java }: KafkaInstall,
  context: StartContext,
  secure?: SecureKafka,
): Promise<RunningServer> {
  const { dataDir, host, port, logFile, env, signal } = context;
  const home = join(dataDir, 'kafka');
  const logs = join(home, 'data');
  await mkdir(logs, { recursive: true });
  const properties = join(home, 'server.properties');
  const logging = join(home, 'log4j2.properties');
  await writeFile(
    properties,
    propertiesOf(serverProperties({ host, port, controllerPort: await freePort(), logs }, secure)),
  );
  await writeFile(logging, LOGGING);
  const jvm = ['-Xmx384m', '-Xms128m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto'];
  const classes = [...jvm, `-Dlog4j2.configurationFile=${logging}`, '-cp', join(libs, '*')];
  if (!(await exists(join(logs, 'meta.properties')))) {
    const id = randomBytes(16).toString('base64url').replace(/^-/, 'A');
    await run(
      java,
      [...classes, 'kafka.tools.StorageTool', 'format', '-t', id, '-c', properties, ...formatArguments(secure)],
      {
        what: 'formatting Kafka’s storage',
        log: () => {},
        timeoutMs: FORMAT_MS,
        env,
        signal,
      },
    );
  }
  const child = await startChild({
    name: 'kafka',
    command: java,
    args: [...classes, 'kafka.Kafka', properties],
    env,
    logFile,
  });
  const broker = `${host}:${port}`;
  await readyOrKilled(
    child,
    waitFor('kafka', () => answers(broker), { timeoutMs: READY_MS, intervalMs: 150, child, signal }),
  );
  return { name: 'kafka', url: broker, env: { KAFKA_BROKERS: broker }, child, graceMs: 8_000 };
}

async function answers(broker: string): Promise<true | undefined> {
  const once = { connectionTimeout: 1_000, requestTimeout: 3_000, retry: { retries: 0 } };
  const admin = new Kafka({ clientId: 'stack', brokers: [broker], logLevel: logLevel.NOTHING, ...once }).admin();
  try {
    await admin.connect();
    const { brokers, controller } = await admin.describeCluster();
    return brokers.length > 0 && controller !== null ? true : undefined;
  } finally {
    await admin.disconnect().catch(() => {});
  }
}

function serverProperties(
  { host, port, controllerPort, logs }: { host: string; port: number; controllerPort: number; logs: string },
  secure: SecureKafka | undefined,
): Record<string, string | number | boolean> {
  const listeners = [`PLAINTEXT://${host}:${port}`, ...secureListeners(secure)].join(',');
  return {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    listeners: `${listeners},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': listeners,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SSL:SSL,SASL_SSL:SASL_SSL',
    'log.dirs': logs,
    // A topic is created by the service that owns it, with the partitions that it chose.
    'auto.create.topics.enable': false,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 4,
    'offsets.topic.segment.bytes': 8 * 1024 * 1024,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 1,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    'share.coordinator.state.topic.num.partitions': 1,
    // On one machine a group need not wait for more members before its first assignment.
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
