import { setTimeout as delay } from 'node:timers/promises';
import type { Admin, ITopicMetadata, Kafka as KafkaClient } from 'kafkajs';
import { backoffMs } from './bounds.ts';
import { StartError } from './config.ts';
import { RETENTION, TOPIC } from './kafka-retention.ts';
import { kafkaFault } from './kafka-security.ts';
import type { KafkaSettings } from './kafka-variables.ts';
import type { Logger } from './log.ts';
import { causes } from './tls-files.ts';

const CONNECT_MS = 5_000;
const TOPICS_MS = 60_000;
const CREATE_MS = 15_000;
const MIN_INSYNC = 'min.insync.replicas';

/**
 * Creates the topics that are missing, and returns the number of partitions by topic, with its prefix. `client` should not retry by
 * itself. Fails with a StartError that names what somebody has to change, and with the last error when Kafka stays away.
 */
export async function ensureTopics(
  client: KafkaClient,
  settings: KafkaSettings,
  { names, log }: { names: readonly string[]; log: Logger },
): Promise<Map<string, number>> {
  const admin = client.admin();
  const wait = { settings, log };
  await untilItPasses(() => admin.connect(), { ...wait, ms: CONNECT_MS, what: 'Kafka is not there yet' });
  try {
    // Six services that start at once create the same topics at once: while a topic is being created, brokers answer that
    // they do not host it.
    return await untilItPasses(() => createMissing(admin, settings, names), {
      ...wait,
      ms: TOPICS_MS,
      what: 'The topics are not there yet',
    });
  } finally {
    await admin.disconnect();
  }
}

async function untilItPasses<T>(
  work: () => Promise<T>,
  { settings, log, ms, what }: { settings: KafkaSettings; log: Logger; ms: number; what: string },
): Promise<T> {
  const until = Date.now() + ms;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const fault = error instanceof StartError ? error : kafkaFault(error, settings);
      if (fault) throw fault;
      if (Date.now() > until) throw tooFewBrokers(error, settings) ?? error;
      log.debug({ err: error }, what);
      await delay(backoffMs(attempt, 100, 2_000));
    }
  }
}

/** While a cluster starts, its brokers come one after the other: only one that stays so small is a fault. */
function tooFewBrokers(error: unknown, { kafkaReplication }: KafkaSettings): StartError | undefined {
  for (const each of causes(error))
    if ((each as { type?: string }).type === 'INVALID_REPLICATION_FACTOR')
      return new StartError(
        `Kafka has fewer brokers than the ${kafkaReplication} replicas that KAFKA_REPLICATION asks for: start more, or lower it.`,
      );
  return undefined;
}

async function createMissing(
  admin: Admin,
  settings: KafkaSettings,
  names: readonly string[],
): Promise<Map<string, number>> {
  const wanted = names.map(name => settings.kafkaTopicPrefix + name);
  const present = new Set(await admin.listTopics());
  const topics = wanted
    .filter(topic => !present.has(topic))
    .map(topic => ({
      topic,
      numPartitions: settings.kafkaPartitions,
      replicationFactor: settings.kafkaReplication,
      configEntries: [...RETENTION, ...leastInSync(settings)],
    }));
  if (topics.length > 0) await admin.createTopics({ topics, waitForLeaders: true, timeout: CREATE_MS });
  // When another service was quicker, kafkajs returns at once, and the broker may not know the new topics yet.
  const metadata = await admin.fetchTopicMetadata({ topics: wanted });
  await requireCopies(admin, settings, metadata.topics);
  return new Map(metadata.topics.map(({ name, partitions }) => [name, partitions.length]));
}

const leastInSync = ({ kafkaMinInsyncReplicas: least }: KafkaSettings) =>
  least > 0 ? [{ name: MIN_INSYNC, value: String(least) }] : [];

/** Fails with a StartError for a topic with fewer copies than the settings ask for: what it acknowledged could be lost with one broker. */
async function requireCopies(admin: Admin, settings: KafkaSettings, topics: ITopicMetadata[]): Promise<void> {
  const { kafkaReplication: copies, kafkaMinInsyncReplicas: least } = settings;
  for (const { name, partitions } of topics) {
    const fewest = Math.min(...partitions.map(({ replicas }) => replicas.length));
    const asking = fewest < copies ? 'KAFKA_REPLICATION' : 'KAFKA_MIN_INSYNC_REPLICAS';
    if (fewest < Math.max(copies, least))
      throw new StartError(
        `The topic ${name} has ${fewest} ${fewest === 1 ? 'replica' : 'replicas'}, and ${asking} asks for ${fewest < copies ? copies : least}: add replicas to it (kafka-reassign-partitions), or set ${asking}=${fewest}.`,
      );
  }
  if (least < 1) return;
  for (const [name, found] of await settingOf(admin, topics, MIN_INSYNC))
    if (Number(found) < least)
      throw new StartError(
        `The topic ${name} has ${MIN_INSYNC}=${found}, and KAFKA_MIN_INSYNC_REPLICAS asks for ${least}: raise it (kafka-configs --alter --add-config ${MIN_INSYNC}=${least}), or set KAFKA_MIN_INSYNC_REPLICAS=${found}.`,
      );
}

async function settingOf(admin: Admin, topics: ITopicMetadata[], setting: string): Promise<[string, string][]> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map(({ name }) => ({ type: TOPIC, name, configNames: [setting] })),
  });
  return resources.map(({ resourceName, configEntries }) => [
    resourceName,
    configEntries.find(({ configName }) => configName === setting)?.configValue ?? '1',
  ]);
}
