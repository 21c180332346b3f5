import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { until } from '@recording-request/testing/wait';
import { readObject } from './read-object.ts';

test('a reader that pauses gives its connection to the store back, and goes on where it was', async () => {
  const opened: { offset: number; stream: Readable }[] = [];
  const bytes = Buffer.from('0123456789');
  const objects = {
    get: async (_key: string, { offset = 0 } = {}) => {
      const stream = Readable.from([...bytes.subarray(offset)].map(byte => Buffer.from([byte])));
      opened.push({ offset, stream });
      return stream;
    },
  };
  const { signal } = new AbortController();
  const reading = readObject(objects, { key: 'key', size: bytes.length }, { signal, idleMs: 20 });
  let read = '';
  for (let at = 0; at < 3; at++) read += (await reading.next()).value;
  await until('the end of a connection that nobody reads', () => opened[0]!.stream.destroyed);
  for await (const chunk of reading) read += chunk;
  assert.equal(read, '0123456789');
  assert.deepEqual(
    opened.map(({ offset }) => offset),
    [0, 3],
  );
});
