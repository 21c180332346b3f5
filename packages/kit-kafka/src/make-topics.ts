import type { Logger } from '@recording-request/kit/log';
import { type Admin, Kafka as KafkaClient, logLevel } from 'kafkajs';
import { askKafka } from './admin.ts';
import { RETENTION } from './retention.ts';
import { kafkaSecurity } from './security.ts';
import { MIN_INSYNC, requireCopies, topicsOf } from './topics.ts';
import type { KafkaSettings } from './variables.ts';

export interface MakeTopics {
  /** Without their prefix. */
  names: readonly string[];
  log: Logger;
  /** Receives a line for each topic. */
  report(line: string): void;
  /** True if Kafka only validates the changes: it makes no change, and `report` is not called. */
  validateOnly?: boolean;
}

const REQUEST_MS = 30_000;
const CREATE_MS = 15_000;
/** Shorter than a migration's retries, because all brokers should be up before a validation. */
const JUDGE_MS = 5_000;

/**
 * Creates missing topics, and adds partitions to topics that have fewer than the settings ask for. A topic with more
 * partitions keeps them. Fails with a StartError when an operator must change something, and with the last error when
 * Kafka stays unreachable.
 */
export async function makeTopics(settings: KafkaSettings, options: MakeTopics): Promise<void> {
  const client = new KafkaClient({
    ...{ clientId: 'migrate', brokers: settings.kafkaBrokers, logLevel: logLevel.NOTHING },
    ...{ connectionTimeout: 3_000, requestTimeout: REQUEST_MS, retry: { retries: 0 } },
    ...kafkaSecurity(settings),
  });
  const before = new Map<string, number>();
  const asking = { settings, log: options.log, ...(options.validateOnly && { workMs: JUDGE_MS }) };
  await askKafka(client, asking, admin => change(admin, { settings, before, ...options }));
}

interface Change extends MakeTopics {
  settings: KafkaSettings;
  /**
   * The number of partitions of each topic before the first attempt: a failed attempt may have created some partitions.
   */
  before: Map<string, number>;
}

async function change(admin: Admin, { settings, before, names, report, validateOnly = false }: Change): Promise<void> {
  const { kafkaPartitions: count, kafkaReplication: replicationFactor } = settings;
  const wanted = names.map(name => settings.kafkaTopicPrefix + name);
  const present = new Set(await admin.listTopics());
  const [there, missing] = [wanted.filter(topic => present.has(topic)), wanted.filter(topic => !present.has(topic))];
  const found = await topicsOf(admin, there);
  await requireCopies(admin, settings, found);
  for (const topic of missing) if (!before.has(topic)) before.set(topic, 0);
  for (const { name, partitions } of found) if (!before.has(name)) before.set(name, partitions.length);
  const common = { validateOnly, timeout: CREATE_MS };
  if (missing.length > 0) {
    const configEntries = [...RETENTION, ...leastInSync(settings)];
    const topics = missing.map(topic => ({ topic, numPartitions: count, replicationFactor, configEntries }));
    await admin.createTopics({ ...common, topics, waitForLeaders: !validateOnly });
  }
  const small = found
    .filter(({ partitions }) => partitions.length < count)
    .map(({ name: topic }) => ({ topic, count }));
  if (small.length > 0) await admin.createPartitions({ ...common, topicPartitions: small });
  if (validateOnly) return;
  const made = await topicsOf(admin, wanted);
  if (made.some(({ partitions }) => partitions.length < count)) throw new Error('not all partitions are there yet');
  await requireCopies(admin, settings, made);
  for (const { name, partitions } of made)
    report(`topic ${name}: ${inWords(before.get(name) ?? 0, partitions.length)}`);
}

function inWords(before: number, now: number): string {
  const partitions = now === 1 ? '1 partition' : `${now} partitions`;
  if (before === 0) return `made, with ${partitions}`;
  return before < now ? `made larger, from ${before} to ${partitions}` : `is there, with ${partitions}`;
}

const leastInSync = ({ kafkaMinInsyncReplicas: least }: KafkaSettings) =>
  least > 0 ? [{ name: MIN_INSYNC, value: String(least) }] : [];
