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
  /** In full, as the broker knows them. */
  topic: string;
  group: string;
  /** How many records are worked on at once. */
  concurrency: number;
  /** How long a stop lets what runs go on, in milliseconds, before `stopping` fires. */
  stopGraceMs: number;
  log: Logger;
  /**
   * Returns the work on a record, which is called until it resolves to undefined, each time after the milliseconds that it
   * resolves to. It must not reject, and should end soon after `stopping` fires: then it resolves to any number.
   */
  workOn(record: TakenRecord, stopping: AbortSignal): () => Promise<number | undefined>;
}

export interface Consumer {
  /**
   * Begins nothing more, leaves the group within seconds, and waits for what runs, which is told to stop after its grace.
   * What does not end then is left behind.
   */
  stop(): Promise<void>;
}

// What ends within this time is committed before a stop. Then the partitions go to others, who need not wait for the rest.
const LEAVE_AFTER_MS = 2_000;
const LEAVE_MS = 5_000;
const COMMIT_MS = 3_000;
const COMMIT_AGAIN_MS = 1_000;
const ABANDON_MS = 3_000;

/**
 * Takes the records of a topic. Reading goes on while they are worked on: those of one key in their order, those of different
 * keys side by side. An offset is committed once everything below it is done.
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
    // A commit to the share before may not have come through.
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
  await attempt(idle, Math.max(0, until - Date.now()) + ABANDON_MS, 'ending what runs');
  clearTimeout(giveUp);
}
