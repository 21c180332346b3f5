import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newEvent } from '@recording-request/events/event';
import { tusRequest } from '@recording-request/harness/tus';
import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import { isMissing } from '@recording-request/kit-objects/objects';
import { StoreFinding_Kind } from '@recording-request/proto/operator/v1/submissions';
import { openInbox } from '@recording-request/testing/event-inbox';
import { until } from '@recording-request/testing/wait';
import { openModels } from '../src/store/models.ts';
import { createStoredObjects } from '../src/store/stored-objects.ts';
import { checkObjects } from '../src/workflows/operator/check-store.ts';
import {
  client,
  collectionsWith,
  DAY_MS,
  database,
  eraseSubmission,
  harness,
  kafka,
  landed,
  list,
  prefixOf,
  store,
  versionsIn,
} from './erasable-clips.ts';
import { create, speech } from './test-service.ts';

const INVITED = { sealedInvitation: { $exists: true } };

/** Gives every link of a project a person, whom the projects service stores. */
async function withPeople(projectId: string) {
  const projects = database.useDb(database.name.replace(/submissions$/, 'projects'));
  await projects.collection('projects').updateOne({ _id: projectId as never }, { $set: { hasInvitations: true } });
  const links = projects.collection('links');
  await links.updateMany({ projectId }, { $set: { sealedInvitation: 'k1.sealed', personKey: 'k1.digest' } });
  return links;
}

test('an erased submission leaves nothing in any store but Kafka, and its neighbour keeps everything', async () => {
  const project = await harness.project();
  const gone = await landed(project, 0, 'the note that goes');
  const stays = await landed(project, 1, 'the note that stays');
  const prefix = prefixOf(gone.projectId, gone.submissionId);
  // An interrupted multipart upload, which a listing of objects does not show.
  await client.initiateNewMultipartUpload(harness.config.s3Bucket, `${prefix}source`, {});

  const links = await withPeople(gone.projectId);

  const would = await eraseSubmission(gone.submissionId, true);
  const { objects, objectVersions, people } = would.erased!;
  assert.equal(people, 1);
  assert.equal(would.linkId, gone.linkId);
  assert.equal(would.erased!.submissions, 1);
  assert.ok(objectVersions >= objects);
  assert.notDeepEqual(await versionsIn(`uploads/${gone.uploadId}/`), [], 'the bucket keeps earlier versions');
  assert.equal((await list(gone.projectId)).length, 2, 'a dry run removes nothing');

  const did = await eraseSubmission(gone.submissionId);
  assert.deepEqual(did.erased, would.erased, 'the erasure removes what the dry run counted');
  assert.equal(did.erasedBeforeAt, undefined);
  const days = (did.recordsEndAt!.getTime() - Date.now()) / DAY_MS;
  assert.ok(days > 7 && days < 7.5, `Kafka's records end after their seven days, not ${days}`);

  assert.deepEqual(await versionsIn(prefix), [], 'no version of any object');
  assert.deepEqual(await versionsIn(`uploads/${gone.uploadId}/`), [], 'no version of any part');
  const open = [];
  for await (const item of client.listIncompleteUploads(harness.config.s3Bucket, `${prefix}source`, true))
    open.push(item);
  assert.deepEqual(open, [], 'no multipart upload is left open');
  assert.deepEqual(await collectionsWith('the note that goes'), []);
  const invited = await links.find({ projectId: gone.projectId, ...INVITED }).toArray();
  assert.ok(invited.length > 0 && !invited.some(({ _id }) => String(_id) === gone.linkId), 'only one person is gone');
  assert.deepEqual(
    (await list(gone.projectId)).map(each => [each.submissionId, each.note]),
    [[stays.submissionId, 'the note that stays']],
  );
  assert.ok((await versionsIn(prefixOf(stays.projectId, stays.submissionId))).length > 0);

  const { projectId, linkId, responseSessionId } = gone;
  for (const questionIndex of [undefined, 0])
    await assert.rejects(
      harness.submissions.setResponseNote({ projectId, linkId, responseSessionId, questionIndex, note: 'a late note' }),
      /before its clip has been sent/,
    );
  assert.deepEqual(await collectionsWith('a late note'), [], 'an erased clip gets no note');

  const again = await eraseSubmission(gone.submissionId);
  assert.ok(again.erasedBeforeAt, 'a second erasure reports the first one');
  assert.equal(again.erased!.submissions + again.erased!.objects + again.erased!.uploads, 0);
  await assert.rejects(eraseSubmission(uuidv7()), { code: 'not_found', message: /no such submission/ });
});

test('the person of an interview goes with its last answer', async () => {
  const project = await harness.project({ interviewQuestions: ['Who?', 'Why?'] });
  const { projectId } = project;
  const { linkId } = project.links[0]!;
  const begun = await harness.begin(projectId, linkId);
  const body = (await speech()).bytes;
  const answers: string[] = [];
  for (const questionIndex of ['0', '1']) {
    const { response } = await create(harness, begun, { length: body.length, body, fields: { questionIndex } });
    answers.push(((await response.json()) as { submissionId: string }).submissionId);
  }
  const links = await withPeople(projectId);
  const isInvited = async () => (await links.countDocuments({ _id: linkId as never, ...INVITED })) === 1;
  const first = await eraseSubmission(answers[0]!);
  assert.deepEqual([first.erased!.people, first.linkId, await isInvited()], [0, '', true]);
  assert.equal((await eraseSubmission(answers[1]!, true)).erased!.people, 1);
  const last = await eraseSubmission(answers[1]!);
  assert.deepEqual([last.erased!.people, last.linkId, await isInvited()], [1, linkId, false]);
});

test('a tombstone refuses late results, and a late object of a job is removed', async () => {
  const { projectId, submissionId } = await landed(await harness.project(), 0, 'n');
  await eraseSubmission(submissionId);
  const prefix = prefixOf(projectId, submissionId);
  const video = { key: `${prefix}video.webm`, size: 4, mimeType: 'video/webm', sha256: 'ab'.repeat(32), crc32: 1 };
  await harness.objects.put(video.key, Buffer.from('late'), { contentType: 'video/webm' });
  const value = { projectId, submissionId, video, audio: undefined, thumbnails: [], inspection: undefined };
  await kafka.publish(newEvent('media.processed', { $case: 'mediaProcessed', value }));
  const late = { projectId, submissionId, requestNumber: 1, text: 'late words', vtt: 'WEBVTT late words' };
  await kafka.publish(newEvent('transcript.completed', { $case: 'transcriptCompleted', value: late }));
  await until('the late object is removed', async () => (await versionsIn(prefix)).length === 0);
  assert.deepEqual(await collectionsWith('late words'), []);
  assert.equal((await list(projectId)).length, 0);

  // A job that never reported. Its object is removed only because the tombstone in the database is due for a purge.
  await harness.objects.put(video.key, Buffer.from('later'), { contentType: 'video/webm' });
  const due = { _id: submissionId, purgeAt: { $exists: true } };
  const { matchedCount } = await harness.landed.updateOne(due, { $set: { purgeAt: new Date() } });
  assert.equal(matchedCount, 1, 'the tombstone waits for the longest job');
  await until(
    'an unreported object is removed after the longest job',
    async () => (await versionsIn(prefix)).length === 0,
  );
});

test('a check compares the records with the object store, and changes nothing unless it may delete', async () => {
  const { projectId, submissionId, uploadId } = await landed(await harness.project(), 0, 'n');
  const row = (await harness.landed.findOne({ _id: submissionId })) as unknown as {
    video: { key: string; size: number };
    audio: { key: string };
    thumbnails: { key: string }[];
  };
  const keysOf = (kind: number, found: { kind: number; key: string }[]) =>
    found.filter(each => each.kind === kind).map(({ key }) => key);
  const check = async (deep: boolean): Promise<Record<number, string[]>> => {
    const found: { kind: number; key: string }[] = [];
    for (let cursor = ''; ; ) {
      const batch = await harness.operator.checkStore({ cursor, deep, deleteOrphans: false, orphanAgeSeconds: 0 });
      found.push(...batch.findings.filter(({ key }) => key.includes(projectId)));
      cursor = batch.nextCursor;
      if (cursor === '') return Object.fromEntries(found.map(({ kind }) => [kind, keysOf(kind, found)]));
    }
  };
  assert.deepEqual(await check(true), {}, 'every object of a landed clip exists, with its SHA-256');

  const type = { contentType: 'video/webm' };
  const [orphan, part] = [`${prefixOf(projectId, uuidv7())}video.webm`, `uploads/${uuidv7()}/0-x`];
  for (const key of [orphan, part]) await harness.objects.put(key, Buffer.from('nobody'), type);
  await harness.objects.put(row.video.key, Buffer.alloc(row.video.size), type);
  await harness.objects.put(row.audio.key, Buffer.from('short'), type);
  await harness.objects.remove([row.thumbnails[0]!.key]);
  const broken = {
    [StoreFinding_Kind.KIND_MISSING]: [row.thumbnails[0]!.key],
    [StoreFinding_Kind.KIND_WRONG_SIZE]: [row.audio.key],
  };
  assert.deepEqual(await check(false), broken, 'a new object is not an orphan yet');
  assert.deepEqual(await check(true), { ...broken, [StoreFinding_Kind.KIND_WRONG_SHA256]: [row.video.key] });

  const context = { objects: harness.objects, storedObjects: createStoredObjects(openModels(database)) };
  const before = new Date(Date.now() + DAY_MS);
  const orphansOf = async (deleteOrphans: boolean) =>
    (await checkObjects(context, { after: '', before, deleteOrphans })).findings
      .filter(({ kind }) => kind === 'orphaned')
      .map(({ key }) => key);
  const orphans = await orphansOf(false);
  assert.ok(orphans.includes(orphan) && orphans.includes(part), 'the check reports objects without a record');
  assert.ok(
    !orphans.some(key => key.includes(submissionId) || key.includes(uploadId)),
    'the check does not report objects with a record',
  );
  assert.deepEqual(await orphansOf(true), orphans, 'the first check removes nothing');
  assert.deepEqual(await orphansOf(true), []);
  assert.ok(await harness.objects.stat(row.video.key), 'an object with a record stays');

  const young = { cursor: '', deep: false, deleteOrphans: true, orphanAgeSeconds: 60 };
  await assert.rejects(harness.operator.checkStore(young), { code: 'invalid', message: /3600 seconds/ });
});

test('a transcript that is too long for an event is stored whole, its event refers to it, and its object is removed', async () => {
  const { projectId, submissionId } = await landed(await harness.project(), 0, 'n');
  await harness.landed.updateOne(
    { _id: submissionId },
    { $set: { transcriptStatus: 'processing', transcriptRequest: 1 } },
  );
  const text = 'many words '.repeat(20_000);
  const key = `${prefixOf(projectId, submissionId)}transcript-1.json`;
  await harness.objects.put(key, Buffer.from(JSON.stringify({ text, vtt: 'WEBVTT' })), { contentType: 'text/json' });
  const inbox = await openInbox(kafka, 'submissions.events');
  const value = { projectId, submissionId, requestNumber: 1, key };
  await kafka.publish(newEvent('transcript.completed', { $case: 'transcriptStored', value }));
  const event = await inbox.first(({ type }) => type === 'submission.transcript.completed');
  assert.equal(event.payload?.$case, 'submissionTranscriptByReference');
  const row = await harness.landed.findOne({ _id: submissionId });
  assert.deepEqual([row?.transcriptStatus, row?.transcriptText], ['completed', text]);
  const gone = () => harness.objects.get(key).then(() => false, isMissing);
  await until('its object is removed', gone);
});

test('an erasure that stopped right after its first write is finished by the next one', async () => {
  const one = await landed(await harness.project(), 0, 'half gone');
  const erasable = (await store.find(one.submissionId))!;
  await store.bury(erasable, DAY_MS);
  assert.equal((await list(one.projectId)).length, 0, 'after the first write the clip is not listed');
  assert.notDeepEqual(await collectionsWith('half gone'), [], 'the other data is still stored');
  const { erased } = await eraseSubmission(one.submissionId);
  assert.ok(erased!.objects > 0 && erased!.uploads === 1 && erased!.notes === 1);
  assert.deepEqual(await collectionsWith('half gone'), []);
  assert.deepEqual(await versionsIn(prefixOf(one.projectId, one.submissionId)), []);
});

test('the erasure of a project removes its open uploads too, and the project accepts nothing more', async () => {
  const project = await harness.project();
  const { projectId, submissionId } = await landed(project, 0, 'project note');
  const half = await harness.begin(projectId, project.links[1]!.linkId);
  const body = (await speech()).bytes;
  const open = await create(harness, half, { body: body.subarray(0, 5_000), fields: { note: 'project note' } });
  const first = await harness.operator.eraseProjectSubmissions({ projectId, dryRun: false });
  assert.deepEqual(
    [first.done, first.erased!.submissions, first.erased!.uploads, first.erased!.notes],
    [true, 1, 2, 1],
  );
  assert.deepEqual(await versionsIn(`submissions/${projectId}/`), []);
  assert.deepEqual(await versionsIn(`uploads/${open.id}/`), []);
  assert.deepEqual(await collectionsWith('project note'), []);
  assert.equal((await tusRequest(open.url, 'HEAD', half.headers)).status, 404, 'the open upload is gone');
  const refused = await create(harness, half, { length: 10, fields: { note: 'project note' } });
  assert.equal(refused.response.status, 404, 'no new upload starts');
  const { responseSessionId } = half;
  const late = { projectId, linkId: project.links[1]!.linkId, responseSessionId, questionIndex: undefined };
  await assert.rejects(
    harness.submissions.setResponseNote({ ...late, note: 'project note' }),
    error => error instanceof DomainError && error.code === 'not_found',
  );
  assert.deepEqual(await collectionsWith('project note'), []);
  assert.ok((await eraseSubmission(submissionId)).erasedBeforeAt);
  await until('the erased uploads are forgotten', async () => !(await collectionsWith(open.id)).includes('uploads'));
});

test('a take that lands while its project is erased is not kept', async () => {
  const project = await harness.project();
  const { projectId } = project;
  const begun = await harness.begin(projectId, project.links[0]!.linkId);
  const body = (await speech()).bytes;
  const { url } = await create(harness, begun, { body });
  await store.closeProject(projectId, DAY_MS);
  const last = await tusRequest(url, 'PATCH', {
    ...begun.headers,
    'Upload-Offset': String(body.length),
    'Upload-Length': String(body.length),
  });
  assert.ok([404, 410].includes(last.status), `the contributor is refused, not with ${last.status}`);
  assert.deepEqual(await list(projectId), []);
  await harness.operator.eraseProjectSubmissions({ projectId, dryRun: false });
  assert.deepEqual(await versionsIn(`submissions/${projectId}/`), []);
});

test('only submissions older than the retention are erased', async () => {
  const project = await harness.project();
  const old = await landed(project, 0, 'an old note');
  const young = await landed(project, 1, 'a young note');
  await harness.landed.updateOne(
    { _id: old.submissionId },
    { $set: { createdAt: new Date(Date.now() - 1.01 * DAY_MS) } },
  );
  await harness.landed.updateOne(
    { _id: young.submissionId },
    { $set: { createdAt: new Date(Date.now() - 0.9 * DAY_MS) } },
  );
  await until(
    'the old one is erased',
    async () => (await versionsIn(prefixOf(old.projectId, old.submissionId))).length === 0,
  );
  assert.deepEqual(
    (await list(old.projectId)).map(each => each.submissionId),
    [young.submissionId],
  );
  await until(
    'no text of the erased submission is found',
    async () => (await collectionsWith('an old note')).length === 0,
  );
});

test('an owner’s erasure of a project ends by itself, also when its process stops after the first write', async () => {
  const { ownerId } = harness;
  const inbox = await openInbox(kafka, 'submissions.events');
  for (const isKilled of [false, true]) {
    const { projectId } = await landed(await harness.project(), 0, 'owned note');
    const owned = { ownerId, projectId };
    const { erasure, would } = await harness.submissions.getErasure(owned);
    assert.deepEqual([erasure, would!.submissions, would!.notes], [undefined, 1, 1]);
    if (isKilled) await store.begin(owned, 0);
    else await harness.submissions.beginErasure(owned);
    const done = await until('the erasure ends', async () => {
      const found = (await harness.submissions.getErasure(owned)).erasure!;
      return found.doneAt && found;
    });
    assert.deepEqual([done.erased!.submissions, done.erasedOfProject!.links], [1, 3]);
    const { links, responses } = done.leftOfProject!;
    assert.deepEqual([done.left!.submissions, done.left!.objects, links, responses], [0, 0, 0, 0]);
    assert.deepEqual(await versionsIn(`submissions/${projectId}/`), []);
    const again = (await harness.submissions.beginErasure(owned)).erasure!;
    assert.deepEqual([again.doneAt, again.erased], [done.doneAt, done.erased], 'a repeated request changes nothing');
    assert.equal((await harness.submissions.getErasure({ ...owned, ownerId: uuidv7() })).erasure, undefined);
    await inbox.first(({ payload }) => payload?.$case === 'projectErased' && payload.value.projectId === projectId);
  }
  assert.deepEqual(await collectionsWith('owned note'), []);
});
