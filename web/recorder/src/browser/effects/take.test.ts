import assert from 'node:assert/strict';
import { test } from 'node:test';
import { take } from '../state/testing.ts';
import type { Spool } from './spool.ts';
import { newTake, readTake } from './take.ts';

/** A device with room for `room` bytes. After a chunk that did not fit, a smaller chunk may fit. */
function deviceOf(room: number): Spool {
  const chunks: ArrayBuffer[] = [];
  return {
    takes: async () => [],
    put: async () => {},
    async append(_, sequence, bytes) {
      if (bytes.byteLength > room) throw new Error('no room');
      room -= bytes.byteLength;
      chunks[sequence] = bytes;
    },
    chunks: async () => Object.values(chunks),
    forget: async () => {},
  };
}

test('a full device has the beginning of a take, without a gap', async () => {
  const spool = deviceOf(8);
  const { size: _, ...record } = take();
  const recorded = await newTake(spool, record);
  for (const piece of ['first', 'second', 'end']) await recorded.append(new Blob([piece]));
  assert.equal(await recorded.whole().text(), 'firstsecondend', 'all of it is on its way to the server');
  const left = await readTake(spool, record);
  assert.equal(await left.whole().text(), 'first');
  assert.equal(left.snapshot().recorded, 14, 'and the size of the whole take');
});
