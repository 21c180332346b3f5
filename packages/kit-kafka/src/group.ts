import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs, bounded } from '@recording-request/kit/bounds';
import type { Logger } from '@recording-request/kit/log';
import { observe } from '@recording-request/kit-telemetry/metrics';
import {
  type EachBatchPayload,
  type Kafka as KafkaClient,
  type Consumer as KafkaJsConsumer,
  type PartitionAssigner,
  PartitionAssigners,
} from 'kafkajs';

/** What a member of a group does with the partitions that are its own at the time. */
export interface GroupListener {
  /** The group has shared out its partitions, also when nothing changed for this member. Reading begins at what is committed. */
  onAssigned(partitions: ReadonlySet<number>): void;
  /**
   * Must return soon: the member stays in its group only while it reads on. Returns false to pause the partition until `resume`
   * or until the group shares out its partitions again.
   */
  onBatch(batch: EachBatchPayload['batch']): boolean;
}

/** Membership in a group, which lasts through crashes until it is left. */
export interface GroupMember {
  /**
   * Rejects while the group shares out its partitions, and when the broker does not answer. While there is no member it does
   * nothing: what counts is what is committed after `onAssigned`.
   */
  commit(offsets: ReadonlyMap<number, bigint>): Promise<void>;
  resume(partition: number): void;
  leave(): Promise<void>;
}

interface GroupOptions {
  client: KafkaClient;
  /** In full, as the broker knows them. */
  topic: string;
  group: string;
  log: Logger;
  /** After how long a member is replaced that its group has not heard of, in milliseconds; 35 s by default. */
  silentMs?: number;
}

const SESSION_MS = 10_000;
// How soon a member notices that others join or leave: with the time that an empty fetch waits.
const HEARTBEAT_MS = 1_000;
const FETCH_WAIT_MS = 1_000;
// For members to notice, fetches that hang included.
const REBALANCE_MS = 20_000;
const REJOIN_MS = 1_000;
// A join can wait for ever where the broker stood still: a member that its group has not heard of for longer than any
// rebalance takes is replaced.
const SILENT_MS = SESSION_MS + REBALANCE_MS + 5_000;
const DISCONNECT_MS = 5_000;
// As long as a rebalance may take, and a heartbeat that hangs.
const HEARD_MS = REBALANCE_MS + SESSION_MS;

/** Resolves once it asks to join the group, which may take as long as a rebalance. Rejects when the broker cannot be reached. */
export async function joinGroup(options: GroupOptions, listener: GroupListener): Promise<GroupMember> {
  const { topic, group, log } = options;
  const leaving = new AbortController();
  const join = () => connectMember(options, listener, leaving.signal);
  let current = await join();
  const endReport = observe('recording.consumer.members', () => [
    [current.isHeard() ? 1 : 0, { 'messaging.destination.name': topic, 'messaging.consumer.group.name': group }],
  ]);
  const staying = stay();
  /**
   * kafkajs joins again by itself after a rebalance. After an error, or a silence, a new consumer replaces the one that had it.
   */
  async function stay(): Promise<void> {
    for (;;) {
      await current.over;
      await bounded(current.end(), DISCONNECT_MS, 'a consumer’s end').catch(err =>
        log.warn({ err, topic, group }, 'A consumer did not leave its group cleanly'),
      );
      if (leaving.signal.aborted) return;
      log.warn({ topic, group }, 'A consumer has failed for good; another one replaces it');
      const next = await rejoin();
      if (!next) return;
      current = next;
    }
  }
  async function rejoin(): Promise<ConnectedMember | undefined> {
    for (let attempt = 0; ; attempt += 1) {
      const waitMs = backoffMs(attempt, REJOIN_MS, 10 * REJOIN_MS);
      await delay(waitMs, undefined, { signal: leaving.signal }).catch(() => {});
      if (leaving.signal.aborted) return undefined;
      try {
        return await join();
      } catch (err) {
        log.warn({ err, topic, group, attempt }, 'A consumer could not join its group');
      }
    }
  }
  return {
    async commit(offsets) {
      // The next one commits it, once it has the partition.
      if (current.isOver()) return;
      await current.consumer.commitOffsets(
        [...offsets].map(([partition, offset]) => ({ topic, partition, offset: String(offset) })),
      );
    },
    resume(partition) {
      try {
        current.consumer.resume([{ topic, partitions: [partition] }]);
      } catch {
        // It is not in its group at the moment: once it is, nothing is paused.
      }
    },
    async leave() {
      leaving.abort();
      endReport();
      await staying;
    },
  };
}

const OURS = 'kit-round-robin';
/** kafkajs's own, under a name by which members know each other: with another program in the group all fall back to kafkajs's. */
const ourRoundRobin: PartitionAssigner = config => {
  const assigner = PartitionAssigners.roundRobin(config);
  return { ...assigner, name: OURS, protocol: topics => ({ ...assigner.protocol(topics), name: OURS }) };
};

interface ConnectedMember {
  consumer: KafkaJsConsumer;
  /** Resolves when it is out of its group, in which it does not take part again. */
  end(): Promise<void>;
  /** Resolves when it has ended by itself, or is to end. */
  over: Promise<void>;
  isOver(): boolean;
  /** Whether it is in its group, and was heard there lately. */
  isHeard(): boolean;
}

async function connectMember(
  { client, topic, group, log, silentMs: limitMs = SILENT_MS }: GroupOptions,
  listener: GroupListener,
  leaving: AbortSignal,
): Promise<ConnectedMember> {
  const consumer = client.consumer({
    groupId: group,
    sessionTimeout: SESSION_MS,
    heartbeatInterval: HEARTBEAT_MS,
    maxWaitTimeInMs: FETCH_WAIT_MS,
    rebalanceTimeout: REBALANCE_MS,
    partitionAssigners: [ourRoundRobin, PartitionAssigners.roundRobin],
    // One that starts itself again cannot be stopped until it has joined, and would join after another one has replaced it.
    retry: { initialRetryTime: 200, maxRetryTime: 10_000, retries: 10, restartOnFailure: async () => false },
  });
  const over = Promise.withResolvers<void>();
  let isOver = false;
  let hasJoined = false;
  let running: Promise<void> | undefined;
  // Counted, not read from a clock: while this process sleeps nobody could be heard.
  let silentMs = 0;
  const hear = () => {
    silentMs = 0;
  };
  const watch = setInterval(() => {
    if (running) silentMs += HEARTBEAT_MS;
    if (silentMs > limitMs) giveUp();
  }, HEARTBEAT_MS).unref();
  const giveUp = () => {
    isOver = true;
    clearInterval(watch);
    over.resolve();
  };
  if (leaving.aborted) giveUp();
  leaving.addEventListener('abort', giveUp, { once: true });
  over.promise.then(() => leaving.removeEventListener('abort', giveUp));
  consumer.on(consumer.events.CRASH, giveUp);
  consumer.on(consumer.events.HEARTBEAT, hear);
  // Called before the first fetch after it.
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    if (isOver) return;
    hear();
    hasJoined = true;
    const partitions = payload.memberAssignment[topic] ?? [];
    // Each process reports itself alone: nothing else shows that somebody else reads a part of what is to be handled here.
    if (payload.groupProtocol !== OURS)
      log.warn({ topic, group, protocol: payload.groupProtocol }, 'A consumer group has a member of another program');
    consumer.resume([{ topic, partitions }]);
    listener.onAssigned(new Set(partitions));
  });
  // A consumer forgets what it is told before it has joined, and joins then: so it is told afterwards, however late that is.
  const end = async () => {
    await running?.catch(() => {});
    await consumer.disconnect();
  };
  try {
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    // What is read is committed once it is done, which is long after eachBatch has returned.
    running = consumer.run({
      autoCommit: false,
      async eachBatch({ batch, pause }) {
        // It is not committed either: the next owner of the partition reads it. The library gives up for good after such an error.
        if (isOver) throw Object.assign(new Error('a consumer that was replaced takes nothing'), { retriable: false });
        if (!listener.onBatch(batch)) pause();
      },
    });
    running.catch(giveUp);
  } catch (error) {
    giveUp();
    await bounded(end(), DISCONNECT_MS, 'a consumer’s end').catch(() => {});
    throw error;
  }
  const isHeard = () => hasJoined && !isOver && silentMs < HEARD_MS;
  return { consumer, end, over: over.promise, isOver: () => isOver, isHeard };
}
