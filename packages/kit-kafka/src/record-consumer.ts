import { setTimeout as delay } from 'node:timers/promises';
import { bounded } from '@recording-request/kit/bounds';
import { every, type Stoppable } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import type { Kafka as KafkaClient } from 'kafkajs';
import { type GroupMember, joinGroup } from './group.ts';
import type { TakenRecord } from './record.ts';
import { createRecordBuffer, type RecordBuffer } from './record-buffer.ts';

export interface RecordConsumerOptions {
  client: KafkaClient;
  /** Full names, with the prefix. */
  topic: string;
  group: string;
  /** Maximum number of records in work at once. */
  concurrency: number;
  /** How long running work may continue after a stop, in milliseconds; then `stopping` fires. */
  stopGraceMs: number;
  log: Logger;
  /**
   * Returns a function that works on a record. If the function resolves to a number, the scheduler calls it again after
   * that many milliseconds; if it resolves to undefined, the record is done. It must not reject. Soon after `stopping`
   * fires it should resolve to any number.
   */
  workOn(record: TakenRecord, stopping: AbortSignal): () => Promise<number | undefined>;
}

export interface Consumer {
  /**
   * Starts no more work, leaves the group within seconds, and waits for the running work. `stopping` fires after the
   * grace time; work that still does not end is abandoned.
   */
  stop(): Promise<void>;
}

// After a stop, the member leaves its group within this time. Work that ends before it leaves is committed. Then other
// members get the partitions, without a wait for the remaining work.
const LEAVE_AFTER_MS = 2_000;
const LEAVE_MS = 5_000;
const COMMIT_MS = 3_000;
const COMMIT_AGAIN_MS = 1_000;
const ABANDON_MS = 3_000;

/**
 * Consumes the records of a topic, and continues to read during the work. Records with the same key run in order, other
 * records in parallel. An offset is committed once all records below it are done.
 */
export async function startRecordConsumer(options: RecordConsumerOptions): Promise<Consumer> {
  const { topic, log, concurrency, workOn } = options;
  const stopping = new AbortController();
  let member: GroupMember | undefined;
  const buffer = createRecordBuffer({
    concurrency,
    workOn: record => workOn(record, stopping.signal),
    onDone: () => commits.wake(),
    onRoom: partition => member?.resume(partition),
  });
  let committed = new Map<number, bigint>();
  const commits = every(COMMIT_AGAIN_MS, commit, { log, name: `offsets of ${topic}` });
  async function commit(): Promise<void> {
    const offsets = new Map([...buffer.lows()].filter(([partition, low]) => committed.get(partition) !== low));
    if (offsets.size === 0 || !member) return;
    const before = committed;
    await member.commit(offsets);
    for (const [partition, offset] of offsets) before.set(partition, offset);
  }
  const onAssigned = (partitions: ReadonlySet<number>) => {
    // A commit before the rebalance may have failed.
    committed = new Map();
    buffer.onAssigned(partitions);
  };
  try {
    member = await joinGroup(options, { ...buffer, onAssigned });
  } catch (error) {
    await commits.stop();
    throw error;
  }
  let stopped: Promise<void> | undefined;
  return {
    stop() {
      stopped ??= stopConsumer(options, { member, commits, commit, buffer, stopping });
      return stopped;
    },
  };
}

interface Parts {
  member: GroupMember;
  commits: Stoppable;
  commit(): Promise<void>;
  buffer: RecordBuffer;
  stopping: AbortController;
}

async function stopConsumer(
  { topic, group, log, stopGraceMs }: RecordConsumerOptions,
  { member, commits, commit, buffer: { scheduler }, stopping }: Parts,
): Promise<void> {
  const until = Date.now() + stopGraceMs;
  const giveUp = setTimeout(() => stopping.abort(new Error('the consumer stops')), stopGraceMs);
  const attempt = (work: Promise<void>, ms: number, what: string) =>
    bounded(work, ms, what).catch(err => log.warn({ err, topic, group }, 'A consumer did not stop cleanly'));
  scheduler.close();
  const idle = scheduler.idle();
  await Promise.race([idle, delay(LEAVE_AFTER_MS, undefined, { ref: false })]);
  await attempt(commits.stop().then(commit), COMMIT_MS, 'the last commit');
  await attempt(member.leave(), LEAVE_MS, 'leaving the group');
  await attempt(idle, Math.max(0, until - Date.now()) + ABANDON_MS, 'waiting for running work');
  clearTimeout(giveUp);
}
