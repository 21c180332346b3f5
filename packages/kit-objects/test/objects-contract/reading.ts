import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { until } from '@recording-request/testing/wait';
import { type Each, MiB, sha256, streamOf, type } from './test-bucket.ts';

export function reading(each: Each): void {
  each('a range returns the requested bytes; a range past the end is refused', async ({ objects, read }) => {
    const body = randomBytes(10 * MiB + 7);
    await objects.put('read/ranges', streamOf(body), type);
    const size = body.length;
    for (const [offset, length] of [
      [0, 1],
      [0, 4096],
      [8 * MiB - 3, 6],
      [size - 1, 1],
      [size - 5, 100],
    ] as const)
      assert.ok((await read('read/ranges', { offset, length })).equals(body.subarray(offset, offset + length)));
    assert.ok((await read('read/ranges', { offset: 9 * MiB })).equals(body.subarray(9 * MiB)));
    await assert.rejects(objects.get('read/ranges', { offset: size, length: 1 }));
    await assert.rejects(objects.get('read/ranges', { length: 0 }), RangeError);
  });

  each('a paused reader blocks no other, and gets the rest', async ({ objects, read }) => {
    const body = randomBytes(24 * MiB);
    await objects.put('read/slow', streamOf(body), type);
    const hash = createHash('sha256');
    const slow = (await objects.get('read/slow'))[Symbol.asyncIterator]();
    hash.update((await slow.next()).value as Buffer);
    for (let i = 0; i < 20; i += 1) assert.equal((await read('read/slow', { offset: i, length: 10 })).length, 10);
    for (let next = await slow.next(); !next.done; next = await slow.next()) hash.update(next.value as Buffer);
    assert.equal(hash.digest('hex'), sha256(body));
  });

  each('readers that stop release their connections', async ({ objects, read }) => {
    await objects.put('read/left', streamOf(randomBytes(16 * MiB)), type);
    // There are more reads than connections. If each read kept its connection, the last read would wait forever.
    for (let round = 0; round < 8; round += 1)
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const stream = await objects.get('read/left');
          await stream[Symbol.asyncIterator]().next();
          stream.destroy();
        }),
      );
    assert.equal((await read('read/left', { length: 3 })).length, 3);
  });

  each('an aborted read ends with the reason', async ({ objects }) => {
    await objects.put('read/off', streamOf(randomBytes(16 * MiB)), type);
    const stop = new AbortController();
    const stream = await objects.get('read/off', { signal: stop.signal });
    await stream[Symbol.asyncIterator]().next();
    stop.abort(new Error('called off'));
    await assert.rejects(async () => {
      for await (const _ of stream);
    }, /called off/);
    await assert.rejects(objects.get('read/off', { signal: stop.signal }), /called off/);
  });

  each('a presigned URL reads one object until it expires, whole or in ranges, and nothing else', async bucket => {
    const { objects } = bucket;
    const body = randomBytes(70_000);
    await objects.put('read/signed', body, type);
    await objects.put('read/other', body, type);
    const url = await objects.presignGet('read/signed', 60);
    assert.ok(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(body));
    const part = await fetch(url, { headers: { range: 'bytes=10-19' } });
    assert.equal(part.status, 206);
    assert.equal(part.headers.get('content-length'), '10');
    assert.ok(Buffer.from(await part.arrayBuffer()).equals(body.subarray(10, 20)));
    const past = await fetch(url, { headers: { range: 'bytes=70000-' } });
    assert.equal(past.status, 416);
    for (const wrong of [url.replace('read/signed', 'read/other'), url.replace(/Signature=../, 'Signature=00')])
      assert.equal((await fetch(wrong)).status, 403);
    assert.equal((await fetch(url, { method: 'PUT', body: 'x' })).status, 403);
    assert.equal((await fetch(await objects.presignGet('read/nowhere', 60))).status, 404);
    const short = await objects.presignGet('read/signed', 1);
    await until('a URL expires', async () => (await fetch(short)).status === 403);
  });
}
