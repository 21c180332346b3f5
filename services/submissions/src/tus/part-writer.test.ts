import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { createFairBudget } from '@recording-request/kit/fair-budget';
import { createKeptChecksums } from '../domain/uploads/running-checksums.ts';
import type { Part, Upload } from '../domain/uploads/upload.ts';
import { LOCKED } from './errors.ts';
import { type PartContext, PartWriter } from './part-writer.ts';

const PART = 128 * 1024;
const bytesOf = (letter: string, bytes = PART) => Buffer.alloc(bytes, letter);

/** Returns a writer. The test decides when each of its parts is stored. */
function writerTo(
  memoryBytes: number,
  append: () => Promise<boolean> = async () => true,
  renewResponse?: () => Promise<void>,
  remove?: () => Promise<void>,
) {
  const uploadMemory = createFairBudget(memoryBytes);
  const uploadChecksums = createKeptChecksums();
  const removed: string[] = [];
  const warned: unknown[] = [];
  const [bodies, parts] = [[] as string[], [] as Part[]];
  const waiting: Array<PromiseWithResolvers<void>> = [];
  const context = {
    config: { uploadPartBytes: PART, uploadFlushSeconds: 3_600, holdRenewSeconds: 3_600 },
    log: { warn: (about: unknown) => void warned.push(about) },
    uploadMemory,
    uploadChecksums,
    objects: {
      put(_key: string, body: Buffer) {
        const stored = Promise.withResolvers<void>();
        waiting.push(stored);
        // Reads the body only at the end, like a slow connection. The bytes must not change before that.
        return stored.promise.then(() => void bodies.push(`${body.toString('latin1', 0, 1)}${body.length}`));
      },
      async remove(keys: string[]) {
        removed.push(...keys);
        await remove?.();
      },
    },
    projects: { renewResponse },
    uploads: {
      append(_id: string, _writer: string, each: Part) {
        parts.push(each);
        return append();
      },
    },
  };
  const upload = { id: 'u', projectId: 'p', ownerId: 'o', renewedAt: renewResponse ? undefined : new Date() } as Upload;
  const writer = new PartWriter(context as unknown as PartContext, upload, 'w', 0);
  return { writer, uploadMemory, uploadChecksums, bodies, parts, waiting, removed, warned };
}

/** Returns whether `work` ends although no more parts are stored. */
async function ends(work: Promise<void>): Promise<boolean> {
  const over = work.then(
    () => true,
    () => true,
  );
  for (let i = 0; i < 10; i += 1) await turn();
  return await Promise.race([over, false]);
}

test('while a part is stored the next one is collected, and only stored parts are recorded', async () => {
  const { writer, uploadMemory, bodies, parts, waiting } = writerTo(32 * PART);
  using _ = writer;
  assert.ok(await ends(writer.add(bytesOf('a'))));
  assert.ok(await ends(writer.add(bytesOf('b', PART - 1))), 'the second part comes in while the first is stored');
  assert.deepEqual([writer.offset, waiting.length], [0, 1]);
  const third = writer.add(bytesOf('b', 2));
  assert.equal(await ends(third), false, 'no third part is collected');
  assert.equal(waiting.length, 1, 'one part is stored at a time');
  waiting[0]!.resolve();
  await third;
  assert.equal(writer.offset, PART);
  const flushed = writer.flush();
  assert.equal(await ends(flushed), false, 'nothing is acknowledged before it is stored');
  waiting[2]!.resolve();
  assert.equal(await ends(flushed), false, 'the last part is stored beside the one before it, and counts after it');
  assert.deepEqual([writer.offset, parts.length], [PART, 1]);
  waiting[1]!.resolve();
  await flushed;
  assert.deepEqual(bodies, [`a${PART}`, 'b1', `b${PART}`]);
  assert.deepEqual(
    parts.map(({ offset, size }) => [offset, size]),
    [
      [0, PART],
      [PART, PART],
      [2 * PART, 1],
    ],
  );
  assert.deepEqual([writer.offset, uploadMemory.free], [2 * PART + 1, uploadMemory.limit]);
  const again = writer.add(bytesOf('c', 1));
  assert.ok(await ends(again), 'it continues after it returned its memory');
});

test('without memory for a second part the next one waits for the first', async () => {
  const { writer, bodies, waiting } = writerTo(2 * PART);
  using _ = writer;
  await writer.add(bytesOf('a'));
  const second = writer.add(bytesOf('b'));
  assert.equal(await ends(second), false);
  waiting[0]!.resolve();
  await second;
  waiting[1]!.resolve();
  await writer.flush();
  assert.deepEqual(bodies, [`a${PART}`, `b${PART}`]);
});

test('the checksums of acknowledged bytes are kept for the next request, and none once a part failed', async () => {
  const { writer, uploadChecksums, waiting } = writerTo(32 * PART);
  {
    using _ = writer;
    await writer.add(bytesOf('a', PART + 10));
    waiting[0]!.resolve();
    const flushed = writer.flush();
    await turn();
    waiting[1]!.resolve();
    await flushed;
  }
  const whole = Buffer.alloc(PART + 10, 'a');
  const sha256 = createHash('sha256').update(whole).digest('hex');
  assert.deepEqual(uploadChecksums.read('u', PART + 10), { sha256, crc32: crc32(whole) });

  const failed = writerTo(32 * PART);
  {
    using _ = failed.writer;
    await failed.writer.add(bytesOf('a', PART + 10));
    failed.waiting[0]!.reject(new Error('the store is down'));
    await turn();
    await assert.rejects(failed.writer.flush());
  }
  for (const bytes of [0, PART, PART + 10]) assert.equal(failed.uploadChecksums.read('u', bytes), undefined);
});

test('a part that is not stored, or whose lease was lost, ends the writer: nothing after it is stored', async () => {
  for (const isLost of [false, true]) {
    const { writer, uploadMemory, parts, waiting } = writerTo(32 * PART, async () => !isLost);
    {
      using _ = writer;
      await writer.add(bytesOf('a'));
      await writer.add(bytesOf('b', 10));
      const failure = isLost ? LOCKED : new Error('the store is down');
      if (isLost) waiting[0]!.resolve();
      else waiting[0]!.reject(failure);
      await turn();
      for (const next of [() => writer.add(bytesOf('b', 10)), () => writer.flush(), () => writer.add(bytesOf('c'))])
        await assert.rejects(next, error => error === failure);
      assert.deepEqual([writer.offset, waiting.length, parts.length], [0, 1, isLost ? 1 : 0]);
    }
    assert.equal(uploadMemory.free, uploadMemory.limit);
  }
});

test("a part is sent while its response's hold is renewed, and recorded only after that", async () => {
  for (const isRefused of [false, true]) {
    const renewed = Promise.withResolvers<void>();
    const { writer, parts, waiting, removed } = writerTo(
      32 * PART,
      async () => true,
      () => renewed.promise,
    );
    using _ = writer;
    await writer.add(bytesOf('a', 10));
    const flushed = writer.flush();
    flushed.catch(() => {});
    assert.equal(await ends(flushed), false);
    waiting[0]!.resolve();
    assert.equal(await ends(flushed), false);
    assert.deepEqual(parts, []);
    if (isRefused) renewed.reject(new Error('there is no such response'));
    else renewed.resolve();
    if (isRefused) await assert.rejects(flushed, /no such response/);
    else await flushed;
    await turn();
    assert.deepEqual([writer.offset, parts.length, removed.length], isRefused ? [0, 0, 1] : [10, 1, 0]);
  }
});

test('a last part whose predecessor was not recorded is removed', async () => {
  const { writer, parts, waiting, removed } = writerTo(32 * PART);
  using _ = writer;
  await writer.add(bytesOf('a', PART + 10));
  const flushed = writer.flush();
  flushed.catch(() => {});
  assert.equal(await ends(flushed), false);
  waiting[0]!.reject(new Error('the store is down'));
  assert.equal(await ends(flushed), false, 'its bytes are being sent, and its memory is not returned');
  waiting[1]!.resolve();
  await assert.rejects(flushed, /the store is down/);
  assert.deepEqual([writer.offset, parts.length, removed.length], [0, 0, 2]);
});

test('when an upload is lost or erased while two parts are sent, neither is recorded nor kept', async () => {
  const { writer, parts, waiting, removed } = writerTo(32 * PART, async () => false);
  using _ = writer;
  await writer.add(bytesOf('a', PART + 10));
  const flushed = writer.flush();
  flushed.catch(() => {});
  assert.equal(await ends(flushed), false);
  for (const each of waiting) each.resolve();
  assert.equal(await ends(flushed), true);
  await assert.rejects(flushed, error => error === LOCKED);
  assert.deepEqual([writer.offset, parts.length, removed.length], [0, 1, 2]);
});

test('a failed removal of an unrecorded part is logged, and the client gets the same response', async () => {
  const gone = new Error('the store is down');
  const { writer, waiting, removed, warned } = writerTo(
    32 * PART,
    async () => false,
    undefined,
    () => Promise.reject(gone),
  );
  using _ = writer;
  await writer.add(bytesOf('a', 10));
  const flushed = writer.flush();
  flushed.catch(() => {});
  await ends(flushed);
  waiting[0]!.resolve();
  await assert.rejects(flushed, error => error === LOCKED);
  assert.equal(removed.length, 1);
  assert.deepEqual(warned, [{ err: gone, uploadId: 'u', projectId: 'p' }]);
});
