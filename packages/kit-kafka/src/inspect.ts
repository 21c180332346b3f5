import { setTimeout as delay } from 'node:timers/promises';
import { Kafka as KafkaClient, logLevel } from 'kafkajs';
import { kafkaFault, kafkaSecurity } from './security.ts';
import { requireCopies, topicsOf } from './topics.ts';
import type { KafkaSettings } from './variables.ts';

/** The state of a Kafka cluster for one user. */
export interface KafkaState {
  /** The addresses that the brokers advertise: clients connect to these. */
  brokers: { host: string; port: number }[];
  /** The number of partitions of each topic that exists, by its full name. */
  partitions: Map<string, number>;
  /** The full names of missing topics. */
  missing: string[];
}

/**
 * Reads brokers, topics and groups once, without retries. Each request takes at most `limitMs`. Fails with a StartError
 * when an operator must change something, otherwise with the error of the connection.
 */
export async function inspectKafka(
  settings: KafkaSettings,
  { topics, groups, limitMs }: { topics: readonly string[]; groups: readonly string[]; limitMs: number },
): Promise<KafkaState> {
  const client = new KafkaClient({
    ...{ clientId: 'doctor', brokers: settings.kafkaBrokers, logLevel: logLevel.NOTHING, retry: { retries: 0 } },
    ...{ connectionTimeout: limitMs, authenticationTimeout: limitMs, requestTimeout: limitMs },
    ...kafkaSecurity(settings),
  });
  const admin = client.admin();
  try {
    await admin.connect();
    const { brokers } = await admin.describeCluster();
    const wanted = topics.map(name => settings.kafkaTopicPrefix + name);
    const present = new Set(await admin.listTopics());
    const found = await topicsOf(
      admin,
      wanted.filter(topic => present.has(topic)),
    );
    await requireCopies(admin, settings, found);
    if (groups.length > 0)
      await onceCoordinated(
        () => admin.describeGroups(groups.map(group => settings.kafkaTopicPrefix + group)),
        limitMs,
      );
    return {
      brokers: brokers.map(({ host, port }) => ({ host, port })),
      partitions: new Map(found.map(({ name, partitions }) => [name, partitions.length])),
      missing: wanted.filter(topic => !present.has(topic)),
    };
  } catch (error) {
    throw kafkaFault(error, settings) ?? error;
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

const AGAIN_MS = 250;
const NO_COORDINATOR = /GroupCoordinatorNotFound/;

/** Retries while a new cluster creates the topic of its groups, which the first request causes. */
async function onceCoordinated<T>(ask: () => Promise<T>, limitMs: number): Promise<T> {
  const until = performance.now() + limitMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const { name, type } = error as { name?: string; type?: string };
      const isStarting = NO_COORDINATOR.test(name ?? '') || type === 'GROUP_COORDINATOR_NOT_AVAILABLE';
      if (!isStarting || performance.now() > until) throw error;
      await delay(AGAIN_MS);
    }
  }
}
