import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ERRORS } from '@tus/server';
import { bytesOf } from './request-bytes.ts';

const never = new AbortController().signal;
const MAX = 1_000_000;

/** What was read, and by what the reading ended. */
async function read(bytes: AsyncIterable<Buffer>): Promise<{ text: string; fault?: unknown }> {
  let text = '';
  try {
    for await (const chunk of bytes) text += chunk;
    return { text };
  } catch (fault) {
    return { text, fault };
  }
}

test('bytes come in order to their end, those that came before the reading too', async () => {
  const request = new PassThrough();
  request.write('one ');
  const reading = read(bytesOf(request, MAX, never));
  await turn();
  request.write('two ');
  await turn();
  request.end('three');
  assert.deepEqual(await reading, { text: 'one two three' });
});

test('a request without bytes, and one that has ended already, are read', async () => {
  const request = new PassThrough();
  request.end();
  assert.deepEqual(await read(bytesOf(request, MAX, never)), { text: '' });
  assert.deepEqual(await read(bytesOf(request, MAX, never)), { text: '' });
});

test('a reader that takes its time keeps more from coming in', async () => {
  const request = new PassThrough({ highWaterMark: 1_000 });
  const bytes = bytesOf(request, MAX, never);
  const first = bytes.next();
  let sent = 0;
  for (let i = 0; i < 300; i += 1) {
    if (!request.writableNeedDrain) request.write(Buffer.alloc(1_000, i));
    else break;
    sent += 1_000;
    await turn();
  }
  assert.ok(sent > 60_000 && sent < 70_000, `${sent} bytes came in`);
  const lengths = [(await first).value!.length];
  request.end();
  for await (const chunk of bytes) lengths.push(chunk.length);
  assert.equal(lengths.length * 1_000, sent, 'and go on once it takes them');
});

test('a request that breaks off fails after what came; one that ends as expected does not', async () => {
  for (const error of [undefined, new Error('reset')]) {
    const request = new PassThrough();
    // As the server has one.
    request.on('error', () => {});
    const reading = read(bytesOf(request, MAX, never));
    request.write('one');
    await turn();
    request.destroy(error);
    assert.deepEqual(await reading, { text: 'one', fault: ERRORS.ABORTED });
    assert.deepEqual(await read(bytesOf(request, MAX, never)), { text: '', fault: ERRORS.ABORTED });
  }
});

test('a signal ends the reading without a fault, and the rest stays', async () => {
  const stop = new AbortController();
  const request = new PassThrough();
  request.write('one');
  const reading = read(bytesOf(request, MAX, stop.signal));
  await turn();
  stop.abort();
  assert.deepEqual(await reading, { text: 'one' });
  assert.equal(request.destroyed, false);
  assert.equal(request.listenerCount('data'), 0);
});

test('what goes beyond the length fails, after what came before it', async () => {
  const request = new PassThrough();
  const reading = read(bytesOf(request, 10, never));
  request.write('12345');
  await turn();
  request.write('67890');
  await turn();
  request.write('x');
  assert.deepEqual(await reading, { text: '1234567890', fault: ERRORS.ERR_SIZE_EXCEEDED });
});
