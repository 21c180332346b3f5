import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tusRequest } from '@recording-request/harness/tus';
import { createFairBudget } from '@recording-request/kit/fair-budget';
import { until } from '@recording-request/testing/wait';
import { endHolds } from '../src/workflows/uploads/end-holds.ts';
import { begun, harness, otherProcess, otherUploads, outlast, trickle } from './takes.ts';
import { create } from './test-service.ts';

test('an upload with a running write is neither removed nor salvaged when its hold ends', async () => {
  await using beside = await otherUploads({ config: { ...harness.config, uploadFlushSeconds: 1 } });
  for (const length of [undefined, 50_000]) {
    const response = await begun();
    const { url, id } = await create(harness, response, length === undefined ? {} : { length });
    await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, Buffer.alloc(1_000));
    const late = trickle(`${beside.url}/${id}`, { ...response.headers, 'Upload-Offset': '1000' }, 2_000);
    late.outgoing.write(Buffer.alloc(500));
    await until(
      'the received bytes are stored',
      async () => (await harness.uploads.findOne({ _id: id }))?.offset === 1_500,
    );
    await outlast(id);
    await endHolds(await otherProcess());
    late.outgoing.end(Buffer.alloc(1_500));
    assert.equal(await late.answer, 204);
    assert.equal((await tusRequest(url, 'HEAD', response.headers)).headers.get('upload-offset'), '3000');
  }
});

test('a request whose client disconnects releases its memory', async () => {
  const uploadMemory = createFairBudget(4 * 1024 * 1024);
  await using beside = await otherUploads({ uploadMemory });
  const response = await begun();
  for (let again = 0; again < 3; again += 1) {
    const { id } = await create(harness, response, { length: 50_000 });
    const { outgoing, answer } = trickle(`${beside.url}/${id}`, response.headers, 10_000);
    outgoing.write(Buffer.alloc(300));
    await until('the request is admitted', async () => uploadMemory.free < uploadMemory.limit);
    outgoing.destroy();
    await answer.catch(() => {});
  }
  await until('all of the memory is free again', async () => uploadMemory.free === uploadMemory.limit);
});

test('slow writers hold little memory; one beyond its owner’s share must retry later, and another owner is admitted', async () => {
  // Enough memory for three writers: two of one owner and one of another owner.
  const uploadMemory = createFairBudget(600 * 1024);
  await using beside = await otherUploads({ uploadMemory, config: { ...harness.config, uploadFlushSeconds: 1 } });
  const response = await begun();
  const slow = await Promise.all(
    [1, 2].map(async () => {
      const { id } = await create(harness, response, { length: 50_000 });
      const sent = trickle(`${beside.url}/${id}`, response.headers, 10_000);
      sent.outgoing.write(Buffer.alloc(300));
      return { id, ...sent };
    }),
  );
  for (const { id } of slow)
    await until('the bytes of a slow request are stored while it runs', async () => {
      return (await harness.uploads.findOne({ _id: id }))?.offset === 300;
    });
  const { id } = await create(harness, response, { length: 50_000 });
  const patch = { ...response.headers, 'Upload-Offset': '0' };
  const refused = await tusRequest(`${beside.url}/${id}`, 'PATCH', patch, Buffer.alloc(100));
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '5']);
  const other = await begun(await harness.newOwner());
  const beginning = await create(harness, other, { length: 50_000 });
  const sent = { ...other.headers, 'Upload-Offset': '0' };
  const admitted = await tusRequest(`${beside.url}/${beginning.id}`, 'PATCH', sent, Buffer.alloc(100));
  assert.equal(admitted.status, 204, 'another owner');
  for (const { outgoing, answer } of slow) {
    outgoing.end(Buffer.alloc(9_700));
    assert.equal(await answer, 204);
  }
  await until('all of the memory is free again', async () => uploadMemory.free === uploadMemory.limit);
  const taken = await tusRequest(`${beside.url}/${id}`, 'PATCH', patch, Buffer.alloc(100));
  assert.equal(taken.status, 204);
});
