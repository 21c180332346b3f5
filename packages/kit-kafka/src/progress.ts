import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '@recording-request/kit/bounds';
import { type Admin, Kafka as KafkaClient, logLevel } from 'kafkajs';
import { kafkaFault, kafkaSecurity } from './security.ts';
import type { KafkaSettings } from './variables.ts';
import type { Position } from './waiting-ages.ts';

/** Record counts of a topic for one consumer group. */
export interface Progress {
  /** The number of records ever published. It never shrinks. */
  published: bigint;
  /** Records that the topic still has. */
  kept: bigint;
  /** Records that the topic still has and the group has not handled. */
  waiting: bigint;
}

/** Reads the progress of consumer groups without joining them. */
export interface ProgressReader extends AsyncDisposable {
  /** Returns whether the topic exists. The name has no prefix. */
  has(topic: string): boolean;
  /** Returns zeros when the topic does not exist. The names have no prefix. */
  of(topic: string, group: string): Promise<Progress>;
  /** Returns the group's position and the topic's end, by partition. */
  positions(topic: string, group: string): Promise<Array<Position & { begin: bigint }>>;
}

const NONE: Progress = { published: 0n, kept: 0n, waiting: 0n };
const REQUEST_MS = 15_000;
const UNREADY_MS = 30_000;
const UNREADY = new Set([
  ...['GROUP_LOAD_IN_PROGRESS', 'COORDINATOR_LOAD_IN_PROGRESS', 'GROUP_COORDINATOR_NOT_AVAILABLE'],
  ...['NOT_COORDINATOR_FOR_GROUP', 'NOT_LEADER_FOR_PARTITION', 'LEADER_NOT_AVAILABLE'],
]);

/** Connects. Fails when no broker answers, and with a StartError when an operator must change the settings. */
export async function readProgress(settings: KafkaSettings): Promise<ProgressReader> {
  const { kafkaBrokers, kafkaTopicPrefix } = settings;
  const client = new KafkaClient({
    ...{ clientId: 'progress', brokers: kafkaBrokers, logLevel: logLevel.NOTHING },
    ...{ connectionTimeout: 3_000, requestTimeout: REQUEST_MS, retry: { initialRetryTime: 100, retries: 5 } },
    ...kafkaSecurity(settings),
  });
  await using opening = new AsyncDisposableStack();
  let opened = opening;
  async function connect(): Promise<Admin> {
    const admin = client.admin();
    await admin.connect().catch(error => {
      throw kafkaFault(error, settings) ?? error;
    });
    opened.defer(() => admin.disconnect());
    return admin;
  }
  let admin = await connect();
  /**
   * Retries while a broker that just started or took over loads the committed offsets, or while a new topic has no
   * leader. Each retry uses a new client, because an old client keeps calling the previous broker.
   */
  async function onceReady<T>(ask: (admin: Admin) => Promise<T>): Promise<T> {
    const until = performance.now() + UNREADY_MS;
    for (let attempt = 0; ; attempt += 1) {
      const client = admin;
      try {
        return await ask(client);
      } catch (error) {
        if (!UNREADY.has(String((error as { type?: unknown }).type)) || performance.now() > until) throw error;
        await delay(backoffMs(attempt, 100, 1_000));
        if (admin === client) admin = await connect();
      }
    }
  }
  const topics = new Set(await admin.listTopics());
  opened = opening.move();
  async function positions(topic: string, group: string) {
    const name = kafkaTopicPrefix + topic;
    if (!topics.has(name)) return [];
    // Reads the group first, so that records published in between count as waiting.
    const groupId = kafkaTopicPrefix + group;
    const [read] = await onceReady(admin => admin.fetchOffsets({ groupId, topics: [name] }));
    const taken = new Map(read?.partitions.map(each => [each.partition, BigInt(each.offset)]));
    return (await onceReady(admin => admin.fetchTopicOffsets(name))).map(({ partition, high, low }) => {
      const begin = BigInt(low);
      const at = taken.get(partition) ?? -1n;
      return { partition, begin, at: at > begin ? at : begin, end: BigInt(high) };
    });
  }
  return {
    has: topic => topics.has(kafkaTopicPrefix + topic),
    positions,
    async of(topic, group) {
      const sum = { ...NONE };
      for (const { begin, at, end } of await positions(topic, group)) {
        sum.published += end;
        sum.kept += end - begin;
        sum.waiting += end - at;
      }
      return sum;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
