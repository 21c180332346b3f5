/** Tests reviews in the real database: with lists, exports, concurrent changes and erasures. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { ChangeReviewRequest } from '@recording-request/proto/submissions/v1/submissions';
import { testEnvironment } from '@recording-request/testing/environment';
import { testStores } from '@recording-request/testing/test-stores';
import { migrate } from '../src/migrate.ts';
import { changeReview, getReview } from '../src/rpc/clips/review.ts';
import { createErasureStore } from '../src/store/erasures.ts';
import { createExportRows } from '../src/store/export-rows.ts';
import { type Models, openModels } from '../src/store/models.ts';
import { createSubmissionStore, type SubmissionStore } from '../src/store/submissions.ts';
import { row as clipRow, OWNER } from './project-of-clips.ts';

const PROJECT = randomUUID();
const environment = testEnvironment();
const stores = testStores(environment);
let models: Models;
let submissions: SubmissionStore;
let made = 0;

before(async () => {
  await migrate(environment.env, () => {});
  models = openModels(await stores.database('submissions'));
  submissions = createSubmissionStore(models);
});
after(() => stores[Symbol.asyncDispose]());

async function newClip() {
  const row = clipRow(++made, { projectId: PROJECT });
  await models.submissions.collection.insertOne(row as never);
  return { ownerId: OWNER, projectId: PROJECT, submissionId: String(row._id) };
}
type Clip = Awaited<ReturnType<typeof newClip>>;
const change = async (clip: Clip, wanted: ChangeReviewRequest['change']) =>
  (await changeReview({ submissions })({ ...clip, change: wanted })).review!;
const note = (text: string, atSec = 1) => ({ $case: 'note', value: { noteId: randomUUID(), atSec, text } }) as const;
const read = async (clip: Clip) => (await getReview({ submissions })(clip)).review!;

test('ratings and notes are kept; lists and exports have the rating but not the notes', async () => {
  const clip = await newClip();
  await change(clip, { $case: 'rating', value: 4 });
  await change(clip, note('later', 9));
  const before = (await submissions.find(OWNER, PROJECT, clip.submissionId))!.changedAt;
  const review = await change(clip, note('first', 2));
  assert.deepEqual([review.rating, review.notes.map(({ text }) => text)], [4, ['first', 'later']]);
  assert.deepEqual(await read(clip), review);
  const { submissions: page } = await submissions.page(OWNER, PROJECT, {}, 10);
  const listed = page.find(({ id }) => id === clip.submissionId)!;
  assert.deepEqual([listed.rating, listed.timedNotes], [4, undefined]);
  assert.ok(listed.changedAt >= before, 'a mirror sees the change');
  const [exported] = await createExportRows(models).read(OWNER, PROJECT, [clip.submissionId], 'texts');
  assert.deepEqual([exported!.rating, exported!.timedNotes], [4, undefined]);
  await change(clip, { $case: 'removedNoteId', value: review.notes[0]!.noteId.toUpperCase() });
  await change(clip, { $case: 'rating', value: 0 });
  const left = await read(clip);
  assert.deepEqual([left.rating, left.notes.map(({ text }) => text)], [undefined, ['later']]);
});

test('notes that are written at the same time are all kept', async () => {
  const clip = await newClip();
  await Promise.all(Array.from({ length: 12 }, (_, index) => change(clip, note(`${index}`, index))));
  assert.equal((await read(clip)).notes.length, 12);
});

test('another owner and another project find no submission', async () => {
  const clip = await newClip();
  for (const other of [{ ownerId: randomUUID() }, { projectId: randomUUID() }]) {
    await assert.rejects(read({ ...clip, ...other }), { code: 'not_found' });
    await assert.rejects(change({ ...clip, ...other }, note('mine')), { code: 'not_found' });
  }
  await assert.rejects(change(clip, undefined), { code: 'invalid' });
});

test('an erasure removes the rating and the notes, and a late note does not come back', async () => {
  const clip = await newClip();
  await change(clip, note('A secret of the owner'));
  const erasures = createErasureStore(models);
  assert.ok(await erasures.bury((await erasures.find(clip.submissionId))!, 60_000));
  await assert.rejects(change(clip, note('too late')), { code: 'not_found' });
  const stored = await models.submissions.collection.findOne({ _id: clip.submissionId as never });
  assert.doesNotMatch(JSON.stringify(stored), /secret|late|timedNotes|rating/);
});
