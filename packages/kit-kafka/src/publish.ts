import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '@recording-request/kit/bounds';
import { KafkaAwayError, KafkaClosedError, PublishError, RecordTooLargeError } from './producer.ts';
import type { OutgoingRecord } from './record.ts';

/** Undefined when all in-sync replicas have the record, otherwise the error of the send. */
export type PublishOutcome = PublishError | RecordTooLargeError | undefined;

// Much smaller than a broker's default limit of 1 MB.
const SEND_BYTES = 512 * 1024;
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5_000;

/** Retries `send` for up to `limitMs` while it fails with PublishError. Does not retry a closed connection. */
export async function sendUntilTaken(send: () => Promise<void>, limitMs: number): Promise<void> {
  const until = Date.now() + limitMs;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof PublishError) || error instanceof KafkaClosedError || Date.now() > until) throw error;
      await delay(backoffMs(attempt, FIRST_WAIT_MS, LONGEST_WAIT_MS));
    }
  }
}

/** Sends the records partition by partition, so that a failed partition does not block others. Returns each record's outcome. */
export async function sendRecords(
  records: OutgoingRecord[],
  partitionOf: (record: OutgoingRecord) => number,
  send: (topic: string, partition: number, records: OutgoingRecord[]) => Promise<void>,
): Promise<PublishOutcome[]> {
  const outcomes = new Map<OutgoingRecord, PublishOutcome>();
  const byPartition = Map.groupBy(records, record => `${record.topic}/${partitionOf(record)}`);
  let away: KafkaAwayError | undefined;
  for (const some of byPartition.values()) {
    const partition = partitionOf(some[0]!);
    let failed: PublishError | undefined = away;
    const sendSome = async (batch: OutgoingRecord[]): Promise<void> => {
      try {
        if (failed === undefined) await send(batch[0]!.topic, partition, batch);
        for (const record of batch) outcomes.set(record, failed);
      } catch (error) {
        if (error instanceof RecordTooLargeError) {
          // Either one record is too large, or only the batch as a whole. To find out, sends the records one by one.
          if (batch.length > 1) for (const record of batch) await sendSome([record]);
          else outcomes.set(batch[0]!, error);
          return;
        }
        failed = error instanceof PublishError ? error : new PublishError('a send failed', { cause: error });
        if (failed instanceof KafkaAwayError) away = failed;
        for (const record of batch) outcomes.set(record, failed);
      }
    };
    for (const batch of batchesOf(some)) await sendSome(batch);
  }
  return records.map(record => outcomes.get(record));
}

function batchesOf(records: OutgoingRecord[]): OutgoingRecord[][] {
  const batches: OutgoingRecord[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const record of records) {
    if (bytes + record.value.length > SEND_BYTES) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)!.push(record);
    bytes += record.value.length;
  }
  return batches;
}
