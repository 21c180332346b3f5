import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { putStream } from './multipart.ts';

const MiB = 1024 ** 2;

/** Starts to store a body of `size` bytes and leaves it open. `log` lists the requests to the store. */
function begun(size: number | undefined, onPart: (body: Buffer) => void = () => {}) {
  const log: string[] = [];
  const client = {
    initiateNewMultipartUpload: async () => 'id',
    async uploadPart(_config: object, body: Buffer) {
      log.push(`part ${body.length}`);
      await turn();
      onPart(body);
      return { etag: 'etag' };
    },
    completeMultipartUpload: async () => void log.push('complete'),
    abortMultipartUpload: async () => void log.push('abort'),
  };
  const body = new PassThrough({ highWaterMark: 64 * MiB });
  const storing = putStream({
    client: client as never,
    putWhole: async put => void log.push(`whole ${put.body.length}`),
    ...{ bucket: 'b', key: 'k', body, contentType: 'x/y', size, requestMs: 1_000 },
  });
  return { log, body, storing };
}

async function settled(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await turn();
}

test('a body of known size is sent completely with its last byte, and becomes an object when it ends', async () => {
  const { log, body, storing } = begun(10 * MiB);
  body.write(Buffer.alloc(10 * MiB));
  await settled();
  assert.deepEqual(log, [`part ${8 * MiB}`, `part ${2 * MiB}`]);
  body.end();
  await storing;
  assert.equal(log.at(-1), 'complete');

  const short = begun(10);
  short.body.write(Buffer.alloc(10));
  await settled();
  assert.deepEqual(short.log, []);
  short.body.end();
  await short.storing;
  assert.deepEqual(short.log, ['whole 10']);
});

test('a body of another size than declared becomes no object', async () => {
  for (const [size, came] of [
    [10 * MiB, 10 * MiB + 1],
    [10 * MiB, 10 * MiB - 1],
    [10, 11],
    [10, 9],
    [0, 1],
  ] as const) {
    const { log, body, storing } = begun(size);
    // Writes two pieces, because the first piece may have all the declared bytes.
    body.write(Buffer.alloc(Math.min(size, came)));
    await settled();
    if (came > size) body.write(Buffer.alloc(came - size));
    body.end();
    await assert.rejects(storing, new RegExp(`an object of ${size} bytes was declared, but ${came} came`));
    assert.ok(!log.includes('complete') && !log.some(line => line.startsWith('whole')), String(log));
  }
});

test('a body that breaks off after its last byte becomes no object', async () => {
  const { log, body, storing } = begun(10 * MiB);
  body.write(Buffer.alloc(10 * MiB));
  await settled();
  body.destroy(new Error('the body must not be stored'));
  await assert.rejects(storing, /must not be stored/);
  assert.equal(log.at(-1), 'abort');
});

test('a body of any length is stored in parts with separate memory, and every byte is in its position', async () => {
  const stored: Buffer[] = [];
  const { body, storing } = begun(undefined, part => void stored.push(part));
  const whole = randomBytes(37 * MiB + 1);
  for (let at = 0; at < whole.length; at += MiB) body.write(whole.subarray(at, at + MiB));
  body.end();
  await storing;
  assert.deepEqual(
    stored.map(part => part.length),
    [...Array(4).fill(8 * MiB), 5 * MiB + 1],
  );
  // Compares the bytes after all parts were sent, because a late request must not have another part's bytes.
  assert.ok(Buffer.concat(stored).equals(whole));
});
