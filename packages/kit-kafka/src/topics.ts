import { StartError } from '@recording-request/kit/config';
import type { Logger } from '@recording-request/kit/log';
import { MIGRATE_COMMAND } from '@recording-request/kit/run-migration';
import type { Admin, ITopicMetadata, Kafka as KafkaClient } from 'kafkajs';
import { askKafka } from './admin.ts';
import { TOPIC } from './retention.ts';
import type { KafkaSettings } from './variables.ts';

export const MIN_INSYNC = 'min.insync.replicas';

/**
 * Returns the number of partitions by full topic name. `client` should not retry by itself. Fails with a StartError for a topic that
 * is missing or has too few replicas, and with the last error when Kafka stays unreachable.
 */
export const findTopics = (
  client: KafkaClient,
  settings: KafkaSettings,
  { names, log }: { names: readonly string[]; log: Logger },
): Promise<Map<string, number>> =>
  askKafka(client, { settings, log }, async admin => {
    const wanted = names.map(name => settings.kafkaTopicPrefix + name);
    const present = new Set(await admin.listTopics());
    const missing = wanted.filter(topic => !present.has(topic));
    if (missing.length > 0) {
      const [which, what] = missing.length === 1 ? ['The topic', 'does'] : ['The topics', 'do'];
      throw new StartError(`${which} ${missing.join(', ')} ${what} not exist: run ${MIGRATE_COMMAND} first.`);
    }
    const topics = await topicsOf(admin, wanted);
    await requireCopies(admin, settings, topics);
    return new Map(topics.map(({ name, partitions }) => [name, partitions.length]));
  });

/** Returns Kafka's metadata of existing topics. */
export async function topicsOf(admin: Admin, names: string[]): Promise<ITopicMetadata[]> {
  // An empty list would return all topics.
  return names.length === 0 ? [] : (await admin.fetchTopicMetadata({ topics: names })).topics;
}

/** Fails with a StartError for a topic with fewer replicas than the settings ask for: losing one broker could lose its records. */
export async function requireCopies(admin: Admin, settings: KafkaSettings, topics: ITopicMetadata[]): Promise<void> {
  const { kafkaReplication: copies, kafkaMinInsyncReplicas: least } = settings;
  for (const { name, partitions } of topics) {
    const fewest = Math.min(...partitions.map(({ replicas }) => replicas.length));
    const asking = fewest < copies ? 'KAFKA_REPLICATION' : 'KAFKA_MIN_INSYNC_REPLICAS';
    if (fewest < Math.max(copies, least))
      throw new StartError(
        `The topic ${name} has ${fewest} ${fewest === 1 ? 'replica' : 'replicas'}, and ${asking} asks for ${fewest < copies ? copies : least}: add replicas to it (kafka-reassign-partitions), or set ${asking}=${fewest}.`,
      );
  }
  if (least < 1 || topics.length === 0) return;
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
