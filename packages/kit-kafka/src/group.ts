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

/** Handles the partitions that a group has assigned to its member. */
export interface GroupListener {
  /** Called after each rebalance, even if this member's partitions did not change. Reading restarts at the committed offsets. */
  onAssigned(partitions: ReadonlySet<number>): void;
  /**
   * Must return soon, because the member stays in its group only while it keeps reading. Returns false to pause the
   * partition until `resume` or the next rebalance.
   */
  onBatch(batch: EachBatchPayload['batch']): boolean;
}

/** The membership in a group. The membership survives errors of the consumer and ends with `leave`. */
export interface GroupMember {
  /**
   * Rejects during a rebalance, and when the broker does not answer. Does nothing while the consumer is being replaced:
   * commit the offsets again after the next `onAssigned`.
   */
  commit(offsets: ReadonlyMap<number, bigint>): Promise<void>;
  resume(partition: number): void;
  leave(): Promise<void>;
}

interface GroupOptions {
  client: KafkaClient;
  /** Full names, with the prefix. */
  topic: string;
  group: string;
  log: Logger;
  /** A member without a heartbeat for this time is replaced; in milliseconds, 35 s by default. */
  silentMs?: number;
}

const SESSION_MS = 10_000;
// A member notices a rebalance within this time plus the wait of an empty fetch.
const HEARTBEAT_MS = 1_000;
const FETCH_WAIT_MS = 1_000;
// Time for all members to notice a rebalance, even during a fetch that hangs.
const REBALANCE_MS = 20_000;
const REJOIN_MS = 1_000;
// A join can wait forever after a broker has hung, so a member that is silent for longer than any rebalance is
// replaced.
const SILENT_MS = SESSION_MS + REBALANCE_MS + 5_000;
const DISCONNECT_MS = 5_000;
// A member may be silent this long: for the longest rebalance and one heartbeat that hangs.
const HEARD_MS = REBALANCE_MS + SESSION_MS;

/** Resolves once the join has started; the join may take as long as a rebalance. Rejects when the broker cannot be reached. */
export async function joinGroup(options: GroupOptions, listener: GroupListener): Promise<GroupMember> {
  const { topic, group, log } = options;
  const leaving = new AbortController();
  const join = () => connectMember(options, listener, leaving.signal);
  let current = await join();
  const endReport = observe('recording.consumer.members', () => [
    [current.isHeard() ? 1 : 0, { 'messaging.destination.name': topic, 'messaging.consumer.group.name': group }],
  ]);
  const staying = stay();
  /** kafkajs rejoins by itself after a rebalance. After an error or a silence, a new consumer replaces the failed one. */
  async function stay(): Promise<void> {
    for (;;) {
      await current.over;
      await bounded(current.end(), DISCONNECT_MS, 'a consumer’s end').catch(err =>
        log.warn({ err, topic, group }, 'A consumer did not leave its group cleanly'),
      );
      if (leaving.signal.aborted) return;
      log.warn({ topic, group }, 'A consumer failed permanently; a new one replaces it');
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
        log.warn({ err, topic, group, attempt }, 'A consumer could not join its group and will retry');
      }
    }
  }
  return {
    async commit(offsets) {
      // The caller commits these offsets after the next `onAssigned`.
      if (current.isOver()) return;
      await current.consumer.commitOffsets(
        [...offsets].map(([partition, offset]) => ({ topic, partition, offset: String(offset) })),
      );
    },
    resume(partition) {
      try {
        current.consumer.resume([{ topic, partitions: [partition] }]);
      } catch {
        // The consumer is not in its group now, so there is nothing to resume. All its partitions resume when it joins.
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
/**
 * kafkajs's round robin, under our own name. When a member of another program joins the group, all members use
 * kafkajs's name.
 */
const ourRoundRobin: PartitionAssigner = config => {
  const assigner = PartitionAssigners.roundRobin(config);
  return { ...assigner, name: OURS, protocol: topics => ({ ...assigner.protocol(topics), name: OURS }) };
};

interface ConnectedMember {
  consumer: KafkaJsConsumer;
  /** Resolves when the consumer has permanently left its group. */
  end(): Promise<void>;
  /** Resolves when the consumer has failed or must end. */
  over: Promise<void>;
  isOver(): boolean;
  /** Returns whether the consumer has joined its group and sent a heartbeat recently. */
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
    // A consumer that restarts itself cannot be stopped before it has joined, so it would still join after another
    // consumer has replaced it.
    retry: { initialRetryTime: 200, maxRetryTime: 10_000, retries: 10, restartOnFailure: async () => false },
  });
  const over = Promise.withResolvers<void>();
  let isOver = false;
  let hasJoined = false;
  let running: Promise<void> | undefined;
  // A timer counts this time instead of a clock, because a process receives no heartbeats while it is suspended.
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
  // kafkajs emits this before the first fetch after the join.
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    if (isOver) return;
    hear();
    hasJoined = true;
    const partitions = payload.memberAssignment[topic] ?? [];
    // Logs that another program reads some of the partitions. No metric shows this, because each process reports only
    // its own members.
    if (payload.groupProtocol !== OURS)
      log.warn({ topic, group, protocol: payload.groupProtocol }, 'A consumer group has a member of another program');
    consumer.resume([{ topic, partitions }]);
    listener.onAssigned(new Set(partitions));
  });
  // A consumer ignores a disconnect before it has joined, and then still joins. So the disconnect waits for the join.
  const end = async () => {
    await running?.catch(() => {});
    await consumer.disconnect();
  };
  try {
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    // kafkajs must not commit, because the handlers finish long after eachBatch has returned.
    running = consumer.run({
      autoCommit: false,
      async eachBatch({ batch, pause }) {
        // The batch is not committed, so the next owner of the partition reads it. kafkajs stops permanently after this
        // error.
        if (isOver) throw Object.assign(new Error('a replaced consumer accepts no records'), { retriable: false });
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
