import type { Batch, KafkaMessage } from 'kafkajs';
import type { GroupListener } from './group.ts';
import { createJobScheduler, type JobScheduler } from './job-scheduler.ts';
import { createPartitionProgress, type PartitionProgress } from './partition-progress.ts';
import type { TakenRecord } from './record.ts';

export interface RecordBufferOptions {
  /** Maximum number of records in work at once. */
  concurrency: number;
  /**
   * Returns a function that works on a record. If the function resolves to a number, the scheduler calls it again after
   * that many milliseconds; if it resolves to undefined, the record is done. It must not reject.
   */
  workOn(record: TakenRecord): () => Promise<number | undefined>;
  /** Called when a record is done. */
  onDone(): void;
  /** Called when a paused partition has room again. */
  onRoom(partition: number): void;
}

/** The records that a group member has read and not finished. */
export interface RecordBuffer extends GroupListener {
  /** Returns an offset for each assigned partition that was read: all records below this offset are done. */
  lows(): Map<number, bigint>;
  scheduler: JobScheduler;
}

// The limit, per partition, for records that are read and not done. A batch may exceed this limit by 1 MB.
const READ_AHEAD = { records: 256, bytes: 4 * 1024 * 1024 };

export function createRecordBuffer({ concurrency, workOn, onDone, onRoom }: RecordBufferOptions): RecordBuffer {
  const partitions = new Map<number, PartitionProgress>();
  const paused = new Set<number>();
  const scheduler = createJobScheduler(concurrency, ({ lane, place }) => {
    const progress = partitions.get(lane);
    if (!progress) return;
    progress.done(place);
    onDone();
    if (paused.has(lane) && fill(progress) < 1 / 2) {
      paused.delete(lane);
      onRoom(lane);
    }
  });
  return {
    scheduler,
    onAssigned(assigned) {
      paused.clear();
      for (const progress of partitions.values()) progress.readAgain();
      for (const partition of assigned)
        if (!partitions.has(partition)) partitions.set(partition, createPartitionProgress());
      for (const partition of partitions.keys()) {
        if (assigned.has(partition)) continue;
        partitions.delete(partition);
        scheduler.drop(partition);
      }
    },
    onBatch({ partition, highWatermark, messages }: Batch) {
      const progress = partitions.get(partition);
      if (!progress) return false;
      if (progress.startsOver(BigInt(highWatermark))) scheduler.drop(partition);
      for (const message of messages) {
        const place = BigInt(message.offset);
        if (!progress.take(place, sizeOf(message))) continue;
        const record = takenFrom(message, partition, messages.length);
        // Records without a key have no order to keep.
        const key = record.key?.toString('base64') ?? `at ${place}`;
        scheduler.add({ lane: partition, key, place, run: workOn(record) });
      }
      if (fill(progress) < 1) return true;
      paused.add(partition);
      return false;
    },
    lows() {
      const known = [...partitions].map(([partition, progress]) => [partition, progress.low()] as const);
      return new Map(known.filter((entry): entry is [number, bigint] => entry[1] !== undefined));
    },
  };
}

const sizeOf = ({ key, value }: KafkaMessage): number => (key?.length ?? 0) + (value?.length ?? 0);

/** Returns the used share of a partition's buffer: 1 is full. */
function fill(progress: PartitionProgress): number {
  const { records, bytes } = progress.pending();
  return Math.max(records / READ_AHEAD.records, bytes / READ_AHEAD.bytes);
}

// Copies the bytes, because a slice would keep the broker's whole response in memory while the record waits.
const copyOf = (bytes: Buffer | null | undefined): Buffer | null => (bytes ? Buffer.from(bytes) : null);

function takenFrom(
  { key, value, headers, offset, timestamp }: KafkaMessage,
  partition: number,
  batch: number,
): TakenRecord {
  return {
    partition,
    offset,
    batch,
    key: copyOf(key),
    value: copyOf(value),
    headers: Object.fromEntries(Object.entries(headers ?? {}).map(([name, text]) => [name, String(text)])),
    at: new Date(Number(timestamp)),
  };
}
