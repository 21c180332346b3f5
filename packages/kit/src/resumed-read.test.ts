import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { until } from '@recording-request/testing/wait';
import { resumedRead, UnreadableError } from './resumed-read.ts';

const BYTES = Buffer.from('0123456789');
const { signal } = new AbortController();
const range = { from: 0, to: BYTES.length, signal };
const read = async (chunks: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(chunks)).toString();

test('a paused reader releases its connection, and continues at the same byte', async () => {
  const opened: { offset: number; stream: Readable }[] = [];
  const open = async (offset: number) => {
    const stream = Readable.from([...BYTES.subarray(offset)].map(byte => Buffer.from([byte])));
    opened.push({ offset, stream });
    return stream;
  };
  const reading = resumedRead(open, { ...range, idleMs: 20 });
  let text = '';
  for (let at = 0; at < 3; at++) text += (await reading.next()).value;
  await until('the end of a connection without a reader', () => opened[0]!.stream.destroyed);
  for await (const chunk of reading) text += chunk;
  assert.equal(text, '0123456789');
  assert.deepEqual(
    opened.map(({ offset }) => offset),
    [0, 3],
  );
});

test('a stream that breaks off or ends too soon is reopened for the rest', async () => {
  const from: number[] = [];
  const open = async (offset: number) => {
    from.push(offset);
    if (from.length === 3) return Readable.from([]);
    return Readable.from(
      (async function* () {
        yield BYTES.subarray(offset, offset + 2);
        if (from.length < 4) throw new Error('reset');
        yield BYTES.subarray(offset + 2);
      })(),
    );
  };
  assert.equal(await read(resumedRead(open, { ...range, from: 1 })), '123456789');
  assert.deepEqual(from, [1, 3, 5, 5]);
});

test('an unreachable source is tried five times from one byte, a missing one once', async () => {
  for (const [isFinal, tries] of [
    [false, 5],
    [true, 1],
  ] as const) {
    let opened = 0;
    const open = () => {
      opened += 1;
      return Promise.reject(new Error('away'));
    };
    const reading = read(resumedRead(open, { ...range, from: 4, isFinal: () => isFinal }));
    await assert.rejects(reading, (error: UnreadableError) => {
      assert.ok(error instanceof UnreadableError);
      assert.deepEqual([error.offset, (error.cause as Error).message], [4, 'away']);
      return true;
    });
    assert.equal(opened, tries);
  }
});

test('a reader that stops ends the wait between two tries', async () => {
  const leave = new AbortController();
  const open = () => {
    leave.abort();
    return Promise.reject(new Error('away'));
  };
  await assert.rejects(read(resumedRead(open, { ...range, signal: leave.signal })), { name: 'AbortError' });
});
