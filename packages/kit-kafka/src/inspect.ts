import { setTimeout as delay } from 'node:timers/promises';
import { type Admin, AssignerProtocol, Kafka as KafkaClient, logLevel } from 'kafkajs';
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
  /** The wanted groups whose topic exists. */
  groups: GroupState[];
}

/** The state of a consumer group on its topic. */
export interface GroupState {
  /** The full name. */
  name: string;
  members: number;
  /** The number of partitions that a member reads. */
  assigned: number;
  partitions: number;
  /** The number of records that the group has not handled; undefined if it never committed an offset. */
  waiting: bigint | undefined;
}

/** A consumer group with its topic, without prefix. */
export type Consumer = readonly [topic: string, group: string];

/**
 * Reads brokers, topics and groups once, without retries. Each request takes at most `limitMs`. Fails with a StartError
 * when an operator must change something, otherwise with the error of the connection.
 */
export async function inspectKafka(
  settings: KafkaSettings,
  { topics, consumers, limitMs }: { topics: readonly string[]; consumers: readonly Consumer[]; limitMs: number },
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
    const partitions = new Map(found.map(({ name, partitions }) => [name, partitions.length]));
    const full = consumers.map(
      ([topic, group]): Consumer => [settings.kafkaTopicPrefix + topic, settings.kafkaTopicPrefix + group],
    );
    return {
      brokers: brokers.map(({ host, port }) => ({ host, port })),
      partitions,
      missing: wanted.filter(topic => !present.has(topic)),
      groups: await onceCoordinated(() => groupStates(admin, full, partitions), limitMs),
    };
  } catch (error) {
    throw kafkaFault(error, settings) ?? error;
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

async function groupStates(
  admin: Admin,
  consumers: Consumer[],
  partitions: Map<string, number>,
): Promise<GroupState[]> {
  if (consumers.length === 0) return [];
  const { groups } = await admin.describeGroups(consumers.map(([, group]) => group));
  const members = new Map(groups.map(({ groupId, members }) => [groupId, members]));
  const states = consumers.map(async ([topic, name]): Promise<GroupState | undefined> => {
    const count = partitions.get(topic);
    if (count === undefined) return undefined;
    const own = members.get(name) ?? [];
    const assigned = own.flatMap(({ memberAssignment }) => {
      const decoded = memberAssignment.length > 0 ? AssignerProtocol.MemberAssignment.decode(memberAssignment) : null;
      return decoded?.assignment[topic] ?? [];
    });
    const waiting = await waitingOf(admin, topic, name);
    return { name, members: own.length, assigned: assigned.length, partitions: count, waiting };
  });
  return (await Promise.all(states)).filter(state => state !== undefined);
}

async function waitingOf(admin: Admin, topic: string, groupId: string): Promise<bigint | undefined> {
  const ends = await admin.fetchTopicOffsets(topic);
  const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
  const positions = new Map(committed?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
  if (![...positions.values()].some(position => position >= 0n)) return undefined;
  return ends.reduce((sum, { partition, high, low }) => {
    const at = positions.get(partition) ?? -1n;
    return sum + BigInt(high) - (at < 0n ? BigInt(low) : at);
  }, 0n);
}

const AGAIN_MS = 250;
const NO_COORDINATOR = /GroupCoordinatorNotFound/;
const STARTING = new Set(['GROUP_COORDINATOR_NOT_AVAILABLE', 'COORDINATOR_LOAD_IN_PROGRESS', 'GROUP_LOAD_IN_PROGRESS']);

/** Retries while a new cluster creates its internal topic for groups. The first request makes the cluster create it. */
async function onceCoordinated<T>(ask: () => Promise<T>, limitMs: number): Promise<T> {
  const until = performance.now() + limitMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isStarting = [error, (error as Error).cause].some(each => {
        const { name = '', type = '' } = (each ?? {}) as { name?: string; type?: string };
        return NO_COORDINATOR.test(name) || STARTING.has(type);
      });
      if (!isStarting || performance.now() > until) throw error;
      await delay(AGAIN_MS);
    }
  }
}
