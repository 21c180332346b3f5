import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tusRequest } from '@recording-request/harness/tus';
import { DomainError } from '@recording-request/kit/errors';
import { finishUpload, landUpload } from '../src/workflows/uploads/land-upload.ts';
import { resumeLandings } from '../src/workflows/uploads/resume-landings.ts';
import { begun, finishing, harness, keyOf, otherProcess, otherUploads, submissionsOf } from './takes.ts';
import { create } from './test-service.ts';

const busy = () => Promise.reject(new DomainError('too_many', 'Other videos are looked at first; try again later.'));
const stateOf = async (id: string) => (await harness.uploads.findOne({ _id: id }))?.state;

test('a body that is too short for a video or starts like another file is refused without an inspection', async () => {
  let inspections = 0;
  const inspect: typeof harness.media.inspect = request => {
    inspections += 1;
    return harness.media.inspect(request);
  };
  await using beside = await otherUploads({ media: { ...harness.media, inspect } });
  const response = await begun();
  for (const bytes of [Buffer.from('twenty-one bytes here'), Buffer.alloc(100_000, '%PDF-1.7 ')]) {
    const { id } = await create(harness, response, { length: bytes.length });
    const sent = { ...response.headers, 'Upload-Offset': '0' };
    const refused = await tusRequest(`${beside.url}/${id}`, 'PATCH', sent, bytes);
    assert.equal(refused.status, 422);
    assert.equal(refused.headers.get('error-code'), 'not_video');
  }
  assert.equal(inspections, 0);
});

test('a take that gets no slot for its inspection lands later, not without an inspection', async () => {
  const { projectId, id } = await finishing();
  const full = await otherProcess({ media: { ...harness.media, inspect: busy } });
  assert.deepEqual(await finishUpload(full, await keyOf(id)), { status: 202, body: { state: 'finishing' } });
  assert.equal(await stateOf(id), 'finishing');
  assert.deepEqual(await submissionsOf(projectId), []);
  await landUpload(await otherProcess(), await keyOf(id));
  assert.equal(await stateOf(id), 'landed');
});

test('many waiting inspections of one owner do not block the takes of another', async () => {
  const crowd = await finishing();
  const { _id, ...row } = (await harness.uploads.findOne({ _id: crowd.id }))!;
  const others = Array.from({ length: 150 }, (_, at) => ({
    ...{ ...row, _id: `${_id.slice(0, -4)}${String(at).padStart(4, '0')}`, ownerId: 'crowd', sha256: 'ab'.repeat(32) },
  }));
  await harness.uploads.insertMany(others);
  const { id } = await finishing();
  let inspections = 0;
  const inspect: typeof harness.media.inspect = request => {
    if (request.ownerId !== 'crowd') return harness.media.inspect(request);
    inspections += 1;
    return busy();
  };
  const { uploads } = await otherProcess();
  // Does the same as the store's `due`, but also returns uploads that are not due: the service of this test lands the
  // uploads that are due.
  const due: typeof uploads.due = async (limit, withoutOwners = []) => {
    const rows = harness.uploads.find({ state: 'finishing', ownerId: { $nin: withoutOwners } });
    const ids = await rows.sort({ nextTryAt: 1 }).limit(limit).toArray();
    return (await Promise.all(ids.map(async each => uploads.find(await keyOf(each._id))))).map(upload => upload!);
  };
  const process = await otherProcess({
    uploads: { ...uploads, due, complete: async () => [] },
    media: { ...harness.media, inspect },
  });
  await resumeLandings(process);
  assert.equal(await stateOf(id), 'landed');
  assert.ok(inspections < 20, `${inspections} inspections were requested without a free slot`);
  await harness.uploads.deleteMany({ ownerId: 'crowd' });
});

test('only the newest refused or deleted uploads of a response are kept', async () => {
  const response = await begun();
  const ids: string[] = [];
  for (let times = 0; times < 23; times++) {
    const { url, id } = await create(harness, response, { length: 5 });
    ids.push(id);
    await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, Buffer.from('12345'));
  }
  const remembered = () => harness.uploads.countDocuments({ linkId: response.linkId });
  assert.equal(await remembered(), 20);
  assert.equal(await stateOf(ids[0]!), undefined);
  assert.equal(await stateOf(ids.at(-1)!), 'refused');
});
