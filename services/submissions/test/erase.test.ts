import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newEvent, UNKNOWN_EVENT } from '@recording-request/events/event';
import type { Kafka } from '@recording-request/events/kafka';
import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import { isMissing } from '@recording-request/kit/objects';
import { Event } from '@recording-request/proto/events/v1/events';
import { StoreFinding_Kind } from '@recording-request/proto/operator/v1/submissions';
import type { Submission } from '@recording-request/proto/submissions/v1/submissions';
import { openInbox } from '@recording-request/testing/event-inbox';
import { tusRequest } from '@recording-request/testing/tus';
import { until } from '@recording-request/testing/wait';
import { Client } from 'minio';
import { createDeadLetterStore, type DeadLetterStore } from '../src/store/dead-letters.ts';
import { createErasureStore, type ErasureStore } from '../src/store/erasures.ts';
import { openModels } from '../src/store/models.ts';
import { createStoredObjects } from '../src/store/stored-objects.ts';
import { checkObjects } from '../src/workflows/check-store.ts';
import { recordDeadLetter } from '../src/workflows/record-dead-letter.ts';
import { create, speech, startTestSubmissions, type TestSubmissions } from './test-service.ts';

const DAY_MS = 86_400_000;

let harness: TestSubmissions;
let client: Client;
let kafka: Kafka;
let store: ErasureStore;
let failed: DeadLetterStore;
let database: TestSubmissions['connection'];
before(async () => {
  harness = await startTestSubmissions({
    ERASE_AGAIN_SECONDS: '2',
    UPLOAD_ENDED_SECONDS: '2',
    RETENTION_DAYS: '1',
    UNKNOWN_RETRY_SECONDS: '1',
  });
  const { config } = harness;
  const endpoint = new URL(config.s3Endpoint);
  client = new Client({
    endPoint: endpoint.hostname,
    port: Number(endpoint.port),
    useSSL: false,
    accessKey: config.s3AccessKey(),
    secretKey: config.s3SecretKey(),
    pathStyle: true,
  });
  await client.setBucketVersioning(config.s3Bucket, { Status: 'Enabled' });
  kafka = await harness.stores.kafka();
  database = harness.connection;
  const models = openModels(database);
  store = createErasureStore(models);
  failed = createDeadLetterStore(models);
});
after(async () => {
  await harness?.[Symbol.asyncDispose]();
});

/** Everything under a prefix: also versions that a listing of objects does not show. */
async function versionsIn(prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const item of client.listObjects(harness.config.s3Bucket, prefix, true, { IncludeVersion: true }))
    found.push(item.name as string);
  return found;
}

/** The names of the collections in which a text stands. */
async function collectionsWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const { collectionName } of await database.db!.collections()) {
    for await (const document of database.db!.collection(collectionName).find())
      if (JSON.stringify(document).includes(text)) found.push(collectionName);
  }
  return found;
}

const list = async (projectId: string): Promise<Submission[]> => {
  const page = { ownerId: harness.ownerId, projectId, filter: undefined, pageSize: 10, cursor: '' };
  return (await harness.submissions.listSubmissions(page)).submissions;
};
const eraseSubmission = (submissionId: string, dryRun = false) =>
  harness.operator.eraseSubmission({ submissionId, dryRun });
const prefixOf = (projectId: string, submissionId: string) => `submissions/${projectId}/${submissionId}/`;

/** A clip that landed, with a note that says `note`, and whose media is made. */
async function landed(project: Awaited<ReturnType<TestSubmissions['project']>>, link: number, note: string) {
  const { projectId } = project;
  const linkId = project.links[link]!.linkId;
  const begun = await harness.begin(projectId, linkId);
  const { responseSessionId } = begun;
  await harness.submissions.setResponseNote({ projectId, linkId, responseSessionId, questionIndex: undefined, note });
  const body = (await speech()).bytes;
  const { response } = await create(harness, begun, { length: body.length, body });
  const { submissionId } = (await response.json()) as { submissionId: string };
  await until('the media of the clip is made', async () =>
    (await list(projectId)).some(each => each.submissionId === submissionId && each.hasAudio),
  );
  // The answer to the last byte has no Location.
  const upload = await harness.uploads.findOne({ submissionId });
  return { projectId, linkId, submissionId, uploadId: upload!._id, responseSessionId };
}

test('an erased submission leaves nothing in any store but Kafka, and its neighbour all', async () => {
  const project = await harness.project();
  const gone = await landed(project, 0, 'the note that goes');
  const stays = await landed(project, 1, 'the note that stays');
  const prefix = prefixOf(gone.projectId, gone.submissionId);
  // What a multipart upload left that was cut: it is in no listing of objects.
  await client.initiateNewMultipartUpload(harness.config.s3Bucket, `${prefix}source`, {});

  const would = await eraseSubmission(gone.submissionId, true);
  const { objects, objectVersions } = would.erased!;
  assert.equal(would.erased!.submissions, 1);
  assert.ok(objectVersions >= objects);
  assert.ok((await versionsIn(prefix)).includes(`${prefix}source`), 'the bucket keeps what was removed before');
  assert.equal((await list(gone.projectId)).length, 2, 'a dry run removes nothing');

  const did = await eraseSubmission(gone.submissionId);
  assert.deepEqual(did.erased, would.erased, 'what was removed is what the dry run counted');
  assert.equal(did.erasedBeforeAt, undefined);
  const days = (did.recordsEndAt!.getTime() - Date.now()) / DAY_MS;
  assert.ok(days > 7 && days < 7.5, `Kafka's records end after their seven days, not ${days}`);

  assert.deepEqual(await versionsIn(prefix), [], 'no version of any object');
  assert.deepEqual(await versionsIn(`uploads/${gone.uploadId}/`), [], 'no version of any part');
  const open = [];
  for await (const item of client.listIncompleteUploads(harness.config.s3Bucket, `${prefix}source`, true))
    open.push(item);
  assert.deepEqual(open, [], 'no upload in parts is left open');
  assert.deepEqual(await collectionsWith('the note that goes'), []);
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
  assert.deepEqual(await collectionsWith('a late note'), [], 'no note comes to a clip that was erased');

  const again = await eraseSubmission(gone.submissionId);
  assert.ok(again.erasedBeforeAt, 'a second time says that it was erased before');
  assert.equal(again.erased!.submissions + again.erased!.objects + again.erased!.uploads, 0);
  await assert.rejects(eraseSubmission(uuidv7()), { code: 'not_found', message: /no such submission/ });
});

test('a tombstone refuses late results, and what a job stored late goes', async () => {
  const { projectId, submissionId } = await landed(await harness.project(), 0, 'n');
  await eraseSubmission(submissionId);
  const prefix = prefixOf(projectId, submissionId);
  const video = { key: `${prefix}video.webm`, size: 4, mimeType: 'video/webm', sha256: 'ab'.repeat(32), crc32: 1 };
  await harness.objects.put(video.key, Buffer.from('late'), { contentType: 'video/webm' });
  const value = { projectId, submissionId, video, audio: undefined, thumbnails: [], inspection: undefined };
  await kafka.publish(newEvent('media.processed', { $case: 'mediaProcessed', value }));
  const late = { projectId, submissionId, requestNumber: 1, text: 'late words', vtt: 'WEBVTT late words' };
  await kafka.publish(newEvent('transcript.completed', { $case: 'transcriptCompleted', value: late }));
  await until('the late object goes', async () => (await versionsIn(prefix)).length === 0);
  assert.deepEqual(await collectionsWith('late words'), []);
  assert.equal((await list(projectId)).length, 0);

  // A job that never reported: by its age alone, from what the database says.
  await harness.objects.put(video.key, Buffer.from('later'), { contentType: 'video/webm' });
  const due = { _id: submissionId, purgeAt: { $exists: true } };
  const { matchedCount } = await harness.landed.updateOne(due, { $set: { purgeAt: new Date() } });
  assert.equal(matchedCount, 1, 'the longest job may still store something');
  await until(
    'an unreported object is removed after the longest job',
    async () => (await versionsIn(prefix)).length === 0,
  );
});

test('records and the object store are held against each other, and nothing changes unless it is told to', async () => {
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
  assert.deepEqual(await check(true), {}, 'all that a landed clip has is there, with its SHA-256');

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
  assert.deepEqual(await check(false), broken, 'what was stored just now is no orphan yet');
  assert.deepEqual(await check(true), { ...broken, [StoreFinding_Kind.KIND_WRONG_SHA256]: [row.video.key] });

  const context = { objects: harness.objects, storedObjects: createStoredObjects(openModels(database)) };
  const before = new Date(Date.now() + DAY_MS);
  const orphansOf = async (deleteOrphans: boolean) =>
    (await checkObjects(context, { after: '', before, deleteOrphans })).findings
      .filter(({ kind }) => kind === 'orphaned')
      .map(({ key }) => key);
  const orphans = await orphansOf(false);
  assert.ok(orphans.includes(orphan) && orphans.includes(part), 'no record names them');
  assert.ok(!orphans.some(key => key.includes(submissionId) || key.includes(uploadId)), 'a record names these');
  assert.deepEqual(await orphansOf(true), orphans, 'the first look has removed nothing');
  assert.deepEqual(await orphansOf(true), []);
  assert.ok(await harness.objects.stat(row.video.key), 'what a record names stays');

  const young = { cursor: '', deep: false, deleteOrphans: true, orphanAgeSeconds: 60 };
  await assert.rejects(harness.operator.checkStore(young), { code: 'invalid', message: /3600 seconds/ });
});

test('a record that no consumer can handle is a dead letter: listed, replayed for its group, dropped, erased with its clip', async () => {
  const { projectId, submissionId } = await landed(await harness.project(), 0, 'n');
  // It lacks the video, so that no attempt helps.
  const lacking = {
    projectId,
    submissionId,
    video: undefined,
    audio: undefined,
    thumbnails: [],
    inspection: undefined,
  };
  const publish = () => kafka.publish(newEvent('media.processed', { $case: 'mediaProcessed', value: lacking }));
  const letters = async (count: number) => {
    const found = await until(`${count} dead letters`, async () => {
      const page = { pageSize: 0, cursor: '', oldestFirst: false };
      const { deadLetters } = await harness.operator.listDeadLetters(page);
      const ours = deadLetters.filter(each => each.submissionId === submissionId);
      return ours.length === count && ours;
    });
    return found.map(({ deadLetterId }) => deadLetterId);
  };
  await publish();
  const [first = ''] = await letters(1);
  const { deadLetter } = await harness.operator.getDeadLetter({ deadLetterId: first });
  const { topic, group, reason, eventType } = deadLetter!;
  assert.deepEqual(
    { topic, group, reason, eventType },
    {
      ...{ topic: 'media.events', group: 'submissions', eventType: 'media.processed' },
      reason: 'the event lacks the video that was made',
    },
  );
  assert.ok(deadLetter!.valueBytes > 0);

  await harness.operator.replayDeadLetter({ deadLetterId: first });
  const [second = ''] = await until('it failed once more', async () => {
    const now = await letters(1);
    return now[0] !== first && now;
  });
  await assert.rejects(harness.operator.replayDeadLetter({ deadLetterId: first }), {
    message: /replayed before, at 20/,
  });
  await assert.rejects(harness.operator.getDeadLetter({ deadLetterId: 'x' }), { code: 'not_found' });

  const { deadLetter: dropped } = await harness.operator.dropDeadLetter({ deadLetterId: second });
  assert.ok(dropped!.droppedAt);
  await assert.rejects(harness.operator.replayDeadLetter({ deadLetterId: second }), { message: /was dropped at 20/ });
  await letters(0);
  const kept = await database
    .db!.collection('deadLetters')
    .find({ value: { $ne: null } })
    .toArray();
  assert.deepEqual(kept, [], 'what ended keeps no content');

  await publish();
  const late = { topic: 'media.events', partition: 0, offset: uuidv7(), group: 'submissions', reason: 'too large' };
  const content = { key: Buffer.from(submissionId), value: null, tooLarge: true };
  // As an outbox does with what it cannot publish.
  await recordDeadLetter({ deadLetters: failed, erasures: store }, { ...late, ...content }, new Date());
  const both = await letters(2);
  const oldestFirst = { pageSize: 1, oldestFirst: true };
  const walked = await harness.operator.listDeadLetters({ ...oldestFirst, cursor: '' });
  const rest = await harness.operator.listDeadLetters({ ...oldestFirst, cursor: walked.nextCursor });
  const seen = [...walked.deadLetters, ...rest.deadLetters].map(each => each.deadLetterId);
  assert.deepEqual(seen, both.toReversed(), 'the oldest first, page by page');
  const would = await eraseSubmission(submissionId, true);
  assert.equal(would.erased!.deadLetters, 4);
  assert.equal((await eraseSubmission(submissionId)).erased!.deadLetters, 4);
  await recordDeadLetter({ deadLetters: failed, erasures: store }, { ...late, ...content }, new Date());
  assert.ok(!(await collectionsWith(submissionId)).includes('deadLetters'), 'nothing comes to an erased submission');
});

test('a transcript too long for an event is recorded whole and referred to, and its object goes', async () => {
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
  await until('its object goes', gone);
});

test('an erasure that died right after its first write is finished by the next', async () => {
  const one = await landed(await harness.project(), 0, 'half gone');
  const erasable = (await store.find(one.submissionId))!;
  await store.bury(erasable, DAY_MS);
  assert.equal((await list(one.projectId)).length, 0, 'from the first write on nobody sees it');
  assert.notDeepEqual(await collectionsWith('half gone'), [], 'the rest is still there');
  const { erased } = await eraseSubmission(one.submissionId);
  assert.ok(erased!.objects > 0 && erased!.uploads === 1 && erased!.notes === 1);
  assert.deepEqual(await collectionsWith('half gone'), []);
  assert.deepEqual(await versionsIn(prefixOf(one.projectId, one.submissionId)), []);
});

test('a project goes with what was under way in it, and takes nothing more', async () => {
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
  assert.equal((await tusRequest(open.url, 'HEAD', half.headers)).status, 404, 'the upload that was open is gone');
  const refused = await create(harness, half, { length: 10, fields: { note: 'project note' } });
  assert.equal(refused.response.status, 404, 'no upload begins');
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

test('a take that lands while its project is erased does not stay', async () => {
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

test('submissions past their age are erased, others not', async () => {
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
  await until('nothing of it is found', async () => (await collectionsWith('an old note')).length === 0);
});

/** What a later version publishes: an event whose payload no version knows yet, or one with a field that must not be overlooked. */
const ofTomorrow = (about: { projectId: string; submissionId: string }) => {
  const event = newEvent('media.failed', { $case: 'mediaFailed', value: { ...about, reason: 'r' } });
  const unknown = Event.encode({ ...event, type: 'media.sharpened', payload: undefined }).finish();
  return [
    Buffer.concat([unknown, Buffer.from([0xfa, 0x01, 0x00])]),
    Event.encode({ ...event, schemaVersion: 2 }).finish(),
  ];
};

test('an event that its consumer did not know waits, and is handled once a version that knows it runs', async () => {
  const { projectId, submissionId } = await landed(await harness.project(), 0, 'n');
  await harness.landed.updateOne(
    { _id: submissionId },
    { $set: { transcriptStatus: 'processing', transcriptRequest: 1 } },
  );
  const about = { projectId, submissionId };
  const key = Buffer.from(submissionId);
  for (const value of ofTomorrow(about))
    await kafka.replay({ topic: 'media.events', group: 'submissions', key, value: Buffer.from(value) });
  const waiting = (id?: string) =>
    harness.connection
      .db!.collection('deadLetters')
      .find({ submissionId, ...(id && { _id: id as never }) })
      .toArray();
  const unknown = await until('both wait', async () => {
    const found = await waiting();
    return found.length === 2 && found.every(({ retryAt }) => retryAt) && found;
  });
  for (const { reason } of unknown)
    assert.equal(reason, 'the event lacks an id, or a payload that is known here', 'as earlier versions say');

  // As a process of the version before stores what it did not know.
  const words = { ...about, requestNumber: 1, text: 'known by now', vtt: 'WEBVTT\n' };
  const event = newEvent('transcript.completed', { $case: 'transcriptCompleted', value: words });
  const from = { topic: 'transcription.events', partition: 0, offset: '7', group: 'submissions-transcripts' };
  const value = Buffer.from(Event.encode(event).finish());
  const parked = { ...from, ...about, reason: UNKNOWN_EVENT, eventType: event.type, at: new Date() };
  await failed.add({ id: 'known', ...parked, valueBytes: value.length }, { key, value });
  await until('the event that is known is handled', async () => {
    const found = await harness.landed.findOne({ _id: submissionId });
    return found?.transcriptText === 'known by now';
  });
  assert.deepEqual(await waiting('known'), [], 'it waits no longer');

  await until('the others were looked at again, and wait', async () => {
    const now = await waiting();
    return now.length === 2 && now.every(({ retryAt }, at) => retryAt > unknown[at]!.retryAt);
  });
  const { deadLetters } = await harness.operator.listDeadLetters({ pageSize: 0, cursor: '', oldestFirst: true });
  const shown = deadLetters.filter(each => each.submissionId === submissionId);
  assert.ok(shown.length === 2 && shown.every(({ retryAt }) => retryAt), 'the operator sees when they are tried again');
});
