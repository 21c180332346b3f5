import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { joins, MIN_PART_BYTES, partsOf } from './join.ts';

const MIN = MIN_PART_BYTES;

async function* listed(...sizes: number[]) {
  for (const [at, size] of sizes.entries()) yield { key: `part-${at}`, size };
}

/** The lengths of the pieces of each part. */
async function planned(...sizes: number[]): Promise<number[][]> {
  const parts = await Array.fromAsync(partsOf(listed(...sizes)));
  const whole = parts.flat();
  for (const [at, piece] of whole.entries()) {
    const before = whole[at - 1];
    const from = before?.key === piece.key ? before.offset + before.length : 0;
    assert.equal(piece.offset, from, 'pieces follow one another');
  }
  return parts.map(part => part.map(({ length }) => length));
}

test('large objects are parts by themselves, and small neighbours share one', async () => {
  assert.deepEqual(await planned(MIN, MIN + 1, 10), [[MIN], [MIN + 1], [10]]);
  assert.deepEqual(await planned(10, 20, MIN - 30, 40), [[10, 20, MIN - 30], [40]]);
  assert.deepEqual(await planned(), []);
  assert.deepEqual(await planned(0, 5, 0), [[5]]);
});

test('a large object behind small ones is split where both halves are large enough, and else goes with them', async () => {
  assert.deepEqual(await planned(10, 2 * MIN), [[10, MIN - 10], [MIN + 10]]);
  assert.deepEqual(await planned(10, 2 * MIN - 10), [[10, MIN - 10], [MIN]]);
  assert.deepEqual(await planned(10, 2 * MIN - 11, MIN), [[10, 2 * MIN - 11], [MIN]]);
});

test('every part but the last has the size that S3 asks for, and what is read of one stays below twice that', async () => {
  for (let round = 0; round < 200; round += 1) {
    const sizes = Array.from({ length: 12 }, () => Math.ceil(Math.random() ** 2 * 3 * MIN));
    const parts = await planned(...sizes);
    const sums = parts.map(part => part.reduce((sum, length) => sum + length, 0));
    assert.equal(
      sums.reduce((sum, bytes) => sum + bytes, 0),
      sizes.reduce((sum, bytes) => sum + bytes, 0),
    );
    assert.ok(
      sums.slice(0, -1).every(bytes => bytes >= MIN),
      String(sizes),
    );
    assert.ok(
      parts.every((part, at) => part.length === 1 || sums[at]! < 2 * MIN),
      String(sizes),
    );
  }
});

/** A store whose copies end as the test says. */
function fakeStore(copy: () => Promise<{ etag: string }>) {
  const log: string[] = [];
  const client = {
    initiateNewMultipartUpload: async () => 'id',
    uploadPart({ headers, partNumber }: { headers: Record<string, string>; partNumber: number }, body: Buffer) {
      const isCopy = 'x-amz-copy-source' in headers;
      log.push(isCopy ? 'copy' : `part ${body.length}`);
      return isCopy ? copy() : Promise.resolve({ etag: `etag-${partNumber}` });
    },
    completeMultipartUpload: async () => void log.push('complete'),
    abortMultipartUpload: async () => void log.push('abort'),
  };
  const join = joins({
    client: client as never,
    putWhole: async ({ body }) => void log.push(`whole ${body.length}`),
    get: async (_key, { length = MIN }) => Readable.from([Buffer.alloc(length)]),
    bucket: 'b',
    requestMs: 1_000,
  });
  const put = { key: 'k', contentType: 'x/y', sources: () => listed(MIN, MIN), size: 2 * MIN };
  return { log, join: () => join(put) };
}

test('with a store that does not copy all is read and sent, and it is not asked again at once', async () => {
  const refusal = Object.assign(new Error('no'), { code: 'NotImplemented' });
  const { log, join } = fakeStore(() => Promise.reject(refusal));
  await join();
  const isAborted = log.indexOf('abort');
  assert.ok(isAborted > 0, String(log));
  assert.deepEqual(log.splice(0).slice(isAborted + 1), ['part 8388608', 'part 2097152', 'complete']);
  await join();
  assert.deepEqual(log, ['part 8388608', 'part 2097152', 'complete']);
});

test('a copy that fails otherwise, or does not say what it stored, fails the whole and leaves nothing open', async () => {
  const away = Object.assign(new Error('slow down'), { code: 'SlowDown' });
  for (const copy of [() => Promise.reject(away), async () => ({ etag: '' })]) {
    const { log, join } = fakeStore(copy);
    await assert.rejects(join(), /slow down|did not say/);
    assert.equal(log.at(-1), 'abort');
    assert.ok(!log.includes('complete'));
  }
});
