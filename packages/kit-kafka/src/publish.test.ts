import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KafkaAwayError, PublishError, RecordTooLargeError } from './producer.ts';
import { sendRecords } from './publish.ts';
import type { OutgoingRecord } from './record.ts';

// The key names the partition.
const record = (partition: number, bytes = 10): OutgoingRecord => ({
  topic: 't',
  key: String(partition),
  value: Buffer.alloc(bytes),
});
const partitionOf = ({ key }: OutgoingRecord) => Number(key);

test('a failed partition blocks only its own records, and sends none after the failed one', async () => {
  const sent: number[] = [];
  const fails = new PublishError('out of order');
  const records = [record(1, 400_000), record(2), record(1, 400_000), record(3)];
  const outcomes = await sendRecords(records, partitionOf, async (_topic, partition) => {
    sent.push(partition);
    if (partition === 1) throw fails;
  });
  assert.deepEqual(outcomes, [fails, undefined, fails, undefined]);
  assert.deepEqual(sent, [1, 2, 3]);
});

test('only the record that is too large is refused; the others of its batch are sent in order', async () => {
  const records = [record(1, 1), record(1, 99), record(1, 2)];
  const sent: number[] = [];
  const outcomes = await sendRecords(records, partitionOf, async (_topic, _partition, some) => {
    if (some.some(({ value }) => value.length === 99)) throw new RecordTooLargeError('too large');
    sent.push(...some.map(({ value }) => value.length));
  });
  assert.deepEqual(sent, [1, 2]);
  assert.ok(outcomes[1] instanceof RecordTooLargeError);
  assert.deepEqual([outcomes[0], outcomes[2]], [undefined, undefined]);
});

test('when no broker can be reached, the other partitions are not tried', async () => {
  let tries = 0;
  const outcomes = await sendRecords([record(1), record(2)], partitionOf, async () => {
    tries += 1;
    throw new KafkaAwayError('Kafka cannot be reached');
  });
  assert.equal(tries, 1);
  assert.ok(outcomes.every(outcome => outcome instanceof KafkaAwayError));
});

test('a batch for a partition has a limit in bytes', async () => {
  const sizes: number[] = [];
  await sendRecords(
    Array.from({ length: 20 }, () => record(1, 100_000)),
    partitionOf,
    async (_topic, _partition, some) => {
      sizes.push(some.reduce((sum, { value }) => sum + value.length, 0));
    },
  );
  assert.ok(Math.max(...sizes) <= 512 * 1024 && sizes.length === 4, sizes.join(' '));
});
