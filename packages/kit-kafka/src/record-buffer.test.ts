import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@recording-request/testing/wait';
import type { Batch } from 'kafkajs';
import { createRecordBuffer } from './record-buffer.ts';

const batchOf = (...offsets: number[]) => {
  const message = (offset: number) => ({ offset: `${offset}`, key: null, value: Buffer.from('x'), timestamp: '0' });
  return { partition: 1, highWatermark: `${offsets.at(-1)! + 1}`, messages: offsets.map(message) } as unknown as Batch;
};

test('a member that rejoins its group does not lower the offset that another member committed', async () => {
  let done = 0;
  const buffer = createRecordBuffer({
    concurrency: 1,
    workOn: () => async () => undefined,
    onDone: () => {
      done += 1;
    },
    onRoom: () => {},
  });
  buffer.onAssigned(new Set([1]));
  buffer.onBatch(batchOf(0));
  await until('the record is done', async () => done === 1);
  assert.deepEqual(buffer.lows(), new Map([[1, 1n]]));
  // The member left the group, another member handled record 1, and this member gets the same partition again, now
  // empty.
  buffer.onAssigned(new Set([1]));
  assert.deepEqual(buffer.lows(), new Map());
  buffer.onBatch(batchOf(2));
  await until('the next record is done', async () => done === 2);
  assert.deepEqual(buffer.lows(), new Map([[1, 3n]]));
});
