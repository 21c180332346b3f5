import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import { PLAINTEXT } from '@recording-request/kit/internal/internal';
import { createByteBudget } from '@recording-request/kit/memory-limit';
import { BACKUP_LEASE } from '@recording-request/kit/mongo/backup-lease';
import { createLease, takeLease } from '@recording-request/kit/mongo/lease';
import type { Event } from '@recording-request/proto/events/v1/events';
import { UploadState } from '@recording-request/proto/submissions/v1/submissions';
import { openInbox } from '@recording-request/testing/event-inbox';
import { tusRequest } from '@recording-request/testing/tus';
import { until } from '@recording-request/testing/wait';
import { startTusServer } from '../src/adapters/tus/server.ts';
import type { Context } from '../src/context.ts';
import { createKeptChecksums } from '../src/domain/running-checksums.ts';
import type { UploadKey } from '../src/domain/upload.ts';
import { createArchiveStore } from '../src/store/archives.ts';
import { createBackupHold } from '../src/store/backup-hold.ts';
import { createDeadLetterStore } from '../src/store/dead-letters.ts';
import { createErasureStore } from '../src/store/erasures.ts';
import { openModels } from '../src/store/models.ts';
import { createNoteStore } from '../src/store/notes.ts';
import { createSubmissionStore } from '../src/store/submissions.ts';
import { createUploadStore } from '../src/store/uploads.ts';
import { endHolds } from '../src/workflows/end-holds.ts';
import { finishUpload, type LandContext, landUpload } from '../src/workflows/land-upload.ts';
import { createLandingsUnderWay } from '../src/workflows/landings-under-way.ts';
import { create, speech, startTestSubmissions, type TestSubmissions } from './test-service.ts';

let harness: TestSubmissions;
before(async () => {
  harness = await startTestSubmissions({
    UPLOAD_HOLD_SECONDS: '600',
    UPLOAD_ENDED_SECONDS: '2',
    HOLD_RENEW_SECONDS: '1',
    STUCK_SECONDS: '600',
  });
});
after(async () => {
  await harness?.[Symbol.asyncDispose]();
});

async function begun() {
  const { projectId, links } = await harness.project();
  return { projectId, linkId: links[0]!.linkId, ...(await harness.begin(projectId, links[0]!.linkId)) };
}

/** What a process beside the service lands with, with other parts where the test wants them. */
async function otherProcess(parts: Partial<LandContext> = {}): Promise<LandContext> {
  const models = openModels(harness.connection);
  return {
    ...{ config: harness.config, log: harness.log, landings: createLandingsUnderWay() },
    ...{ uploads: createUploadStore(models), submissions: createSubmissionStore(models) },
    uploadChecksums: createKeptChecksums(),
    archives: createArchiveStore(models),
    backupHold: createBackupHold(models),
    ...{ erasures: createErasureStore(models), deadLetters: createDeadLetterStore(models), objects: harness.objects },
    ...{ projects: harness.projects, media: harness.media },
    ...parts,
  };
}

/** The last byte of an upload came longer ago than uploads are held. */
const outlast = (id: string) => harness.uploads.updateOne({ _id: id }, { $set: { lastByteAt: new Date(0) } });

const submissionsOf = async (projectId: string) =>
  (
    await harness.submissions.listSubmissions({
      ownerId: harness.ownerId,
      projectId,
      filter: undefined,
      pageSize: 10,
      cursor: '',
    })
  ).submissions;

async function keyOf(id: string): Promise<UploadKey> {
  return { id, projectId: String((await harness.uploads.findOne({ _id: id }))!.projectId) };
}

test('a take whose last request died between the last byte and its landing is landed by the sweeper', async () => {
  const response = await begun();
  const body = (await speech()).bytes;
  const { url, id } = await create(harness, response);
  const sent = await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, body);
  assert.equal(sent.status, 204);
  // What is in the database when a process is killed right after it wrote the declared length.
  await harness.uploads.updateOne({ _id: id }, { $set: { length: body.length, completeAt: new Date() } });
  const [submission] = await until('the take lands without its client', async () => {
    const rows = await submissionsOf(response.projectId);
    return rows.length > 0 && rows;
  });
  assert.equal(submission!.incomplete, false);
});

test('while a backup is made, the bytes stay that its records name, and go when it has ended', async () => {
  const response = await begun();
  const refused = await begun();
  const body = (await speech()).bytes;
  const { url, id } = await create(harness, response, { length: body.length });
  const noVideo = await create(harness, refused, { length: 9 });
  const taken = await create(harness, refused, { length: 9 });
  const keysOf = async (prefix: string) => (await Array.fromAsync(harness.objects.list(prefix))).map(({ key }) => key);
  const partsOf = (uploadId: string) => keysOf(`uploads/${uploadId}/`);
  const bytes = { ...response.headers, 'Upload-Offset': '0' };
  {
    await using _backup = (await takeLease(createLease(harness.connection, BACKUP_LEASE, 30_000)))!;
    const answer = await tusRequest(url, 'PATCH', bytes, body);
    const { submissionId } = (await answer.json()) as { submissionId: string };
    const no = await tusRequest(
      noVideo.url,
      'PATCH',
      { ...refused.headers, 'Upload-Offset': '0' },
      Buffer.from('no video.'),
    );
    assert.equal(no.status, 422);
    await tusRequest(taken.url, 'PATCH', { ...refused.headers, 'Upload-Offset': '0' }, Buffer.from('no'));
    assert.equal((await tusRequest(taken.url, 'DELETE', refused.headers)).status, 204);
    await until('its media is made, and the sweeper is left to remove the upload', async () => {
      const row = await harness.landed.findOne({ _id: submissionId });
      return row?.mediaStatus === 'ready' && row.sourceHeldUntil;
    });
    const prefix = `submissions/${response.projectId}/${submissionId}/`;
    assert.ok(
      (await keysOf(prefix)).includes(`${prefix}source`),
      'the upload as it came, which a record of before names',
    );
    for (const upload of [id, noVideo.id, taken.id])
      assert.ok((await partsOf(upload)).length > 0, 'parts that a record of before names');
    const orphans = { cursor: 'objects:', deep: false, deleteOrphans: true, orphanAgeSeconds: 0 };
    await assert.rejects(harness.operator.checkStore(orphans), {
      code: 'unavailable',
      message: /backup is being made/,
    });
  }
  const left = async () => (await Promise.all([id, noVideo.id, taken.id].map(partsOf))).flat();
  await until('all of it goes after the backup', async () => {
    const sources = (await keysOf(`submissions/${response.projectId}/`)).filter(key => key.endsWith('/source'));
    return sources.length === 0 && (await left()).length === 0;
  });
});

test('a landing that died after the answer was recorded ends as one submission, not two', async () => {
  const response = await begun();
  const body = (await speech()).bytes;
  const { url, id } = await create(harness, response, { length: body.length });
  const answer = await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, body);
  const { submissionId } = (await answer.json()) as { submissionId: string };
  // As if the process had died before it noted that the upload has landed: the steps run once more.
  await harness.uploads.updateOne({ _id: id }, { $set: { state: 'finishing', nextTryAt: new Date(0) } });
  await until('the upload lands again', async () => (await harness.uploads.findOne({ _id: id }))?.state === 'landed');
  const rows = await submissionsOf(response.projectId);
  assert.deepEqual(
    rows.map(row => row.submissionId),
    [submissionId],
  );
});

test('an interview is announced as one event, once its answers are stored, whichever was recorded first', async () => {
  const { projectId, links } = await harness.project({ interviewQuestions: ['Who?', 'Why?'] });
  const { linkId } = links[0]!;
  const response = await harness.begin(projectId, linkId);
  const inbox = await openInbox(await harness.stores.kafka(), 'webhooks.events');
  const { responseSessionId } = response;
  const isWhole = ({ payload }: Event) =>
    payload?.$case === 'responseCompleted' && payload.value.responseSessionId === responseSessionId;
  const told = () => inbox.events.filter(isWhole);
  const body = (await speech()).bytes;
  const { length } = body;
  const first = await create(harness, response, { fields: { questionIndex: '0' } });
  await tusRequest(first.url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, body);
  // What a landing leaves behind that dies after its answer was recorded: the sweeper is an hour away.
  const submissionId = uuidv7();
  const finishing = { state: 'finishing', submissionId, finishingAt: new Date(), length };
  const nextTryAt = new Date(Date.now() + 3_600_000);
  await harness.uploads.updateOne({ _id: first.id }, { $set: { ...finishing, nextTryAt } });
  await harness.projects.landClip({ linkId, responseSessionId, questionIndex: 0, submissionId });

  const second = await create(harness, response, { length, fields: { questionIndex: '1' } });
  const answer = await tusRequest(second.url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, body);
  const last = (await answer.json()) as { submissionId: string; complete: boolean };
  assert.equal(last.complete, true, 'to its contributor the interview is over');
  const isOf = (event: Event) =>
    event.payload?.$case === 'submissionMedia' && event.payload.value.submission?.submissionId === last.submissionId;
  const media = await inbox.first(isOf);
  assert.equal(media.type, 'submission.media.completed');
  // Of one key, so that what was published before it would be here.
  assert.deepEqual(told(), [], 'one answer cannot be fetched yet');

  const again = () => harness.uploads.updateOne({ _id: first.id }, { $set: { nextTryAt: new Date(0) } });
  await again();
  const { id, payload } = await inbox.first(isWhole);
  assert.ok(payload?.$case === 'responseCompleted');
  const { submissionIds, linkId: link, responseSessionId: session } = payload.value;
  assert.deepEqual([submissionIds, link, session], [[submissionId, last.submissionId], linkId, responseSessionId]);
  assert.equal((await submissionsOf(projectId)).length, 2);

  await until('it has landed', async () => (await harness.uploads.findOne({ _id: first.id }))?.state === 'landed');
  await harness.uploads.updateOne({ _id: first.id }, { $set: { state: 'finishing' } });
  await again();
  await until('the landing that is done again tells it again', () => told().length === 2);
  assert.deepEqual(new Set(told().map(event => event.id)), new Set([id]), 'an owner is told once, by its id');

  await harness.operator.eraseSubmission({ submissionId, dryRun: false });
  const erased = await inbox.first(({ type }) => type === 'submission.erasure');
  assert.ok(erased.payload?.$case === 'submissionErasure');
  const row = await harness.landed.findOne({ _id: submissionId });
  assert.deepEqual(
    [erased.payload.value.submissionId, erased.payload.value.erasedAt],
    [submissionId, row?.erasedAt],
    'with the time of its tombstone',
  );
});

test('a take that was never sent is deleted when its hold ends, and its use is given back', async () => {
  const response = await begun();
  const body = (await speech()).bytes;
  const { url, id } = await create(harness, response);
  await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, body);
  await outlast(id);
  await until('the upload is removed', async () => (await harness.uploads.findOne({ _id: id })) === null);
  for await (const { key } of harness.objects.list(`uploads/${id}/`)) assert.fail(`${key} is left behind`);
  assert.deepEqual(await submissionsOf(response.projectId), []);
  const link = await until('the use is given back', async () => {
    const { uniqueLinks } = await harness.projects.listLinks({
      ownerId: harness.ownerId,
      projectId: response.projectId,
    });
    const found = uniqueLinks.find(entry => entry.linkId === response.linkId)!;
    return found.remainingUses === 1 && found;
  });
  assert.equal(link.submissionCount, 0);
});

test('a use is given back some time after its client ended the only upload of the response', async () => {
  const response = await begun();
  const { url } = await create(harness, response);
  await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, Buffer.alloc(5_000));
  assert.equal((await tusRequest(url, 'DELETE', response.headers)).status, 204);
  await until('the use is given back', async () => {
    const { uniqueLinks } = await harness.projects.listLinks({
      ownerId: harness.ownerId,
      projectId: response.projectId,
    });
    return uniqueLinks.find(entry => entry.linkId === response.linkId)!.remainingUses === 1;
  });
});

test('a take that was sent but never arrived whole is salvaged as incomplete when its hold ends', async () => {
  const response = await begun();
  const body = (await speech(4)).bytes;
  const { url, id } = await create(harness, response, { length: body.length });
  const part = body.subarray(0, Math.floor(body.length * 0.7));
  const sent = await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, part);
  assert.equal(sent.status, 204);
  await outlast(id);
  const [submission] = await until('what plays of the take lands', async () => {
    const rows = await submissionsOf(response.projectId);
    return rows.length > 0 && rows;
  });
  assert.equal(submission!.incomplete, true);
});

test('a landing that cannot succeed waits longer each time, and keeps no other take from landing', async () => {
  const stuck = await begun();
  const body = (await speech()).bytes;
  const upload = await create(harness, stuck);
  await tusRequest(upload.url, 'PATCH', { ...stuck.headers, 'Upload-Offset': '0' }, body);
  // A part that the store has lost, which no retry brings back.
  for await (const { key } of harness.objects.list(`uploads/${upload.id}/`)) await harness.objects.remove([key]);
  await harness.uploads.updateOne({ _id: upload.id }, { $set: { length: body.length, completeAt: new Date() } });
  const response = await begun();
  const other = await create(harness, response);
  await tusRequest(other.url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, body);
  await harness.uploads.updateOne({ _id: other.id }, { $set: { length: body.length, completeAt: new Date() } });
  await until('the other take lands', async () => (await submissionsOf(response.projectId)).length > 0);
  await until('the failure is counted, and the next try is later', async () => {
    const row = await harness.uploads.findOne({ _id: upload.id });
    return Number(row?.failures) > 0 && (row!.nextTryAt as Date).getTime() > Date.now();
  });
});

test('a landing that died before it had removed the parts is taken up again, and leaves none', async () => {
  const response = await begun();
  const body = (await speech()).bytes;
  const { url, id } = await create(harness, response);
  await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, body);
  const other = await otherProcess({
    objects: { ...harness.objects, remove: () => Promise.reject(new Error('the process has died')) },
  });
  await harness.uploads.updateOne({ _id: id }, { $set: { length: body.length, completeAt: new Date() } });
  await other.uploads.finish(await keyOf(id));
  await landUpload(other, await keyOf(id)).catch(() => {});
  await until('the upload has landed', async () => (await harness.uploads.findOne({ _id: id }))?.state === 'landed');
  for await (const { key } of harness.objects.list(`uploads/${id}/`)) assert.fail(`${key} is left behind`);
});

test('a refusal that died before it had removed the bytes leaves none when the hold ends', async () => {
  const response = await begun();
  const { url, id } = await create(harness, response, { length: 5_000 });
  const answer = await tusRequest(
    url,
    'PATCH',
    { ...response.headers, 'Upload-Offset': '0' },
    Buffer.alloc(5_000, 'x'),
  );
  assert.equal(answer.status, 422);
  const { submissionId } = (await harness.uploads.findOne({ _id: id }))!;
  const prefix = `submissions/${response.projectId}/${submissionId}/`;
  await harness.objects.put(`${prefix}source`, Buffer.alloc(5_000), { contentType: 'video/webm' });
  await outlast(id);
  await until('the upload is removed', async () => (await harness.uploads.findOne({ _id: id })) === null);
  for await (const { key } of harness.objects.list(prefix)) assert.fail(`${key} is left behind`);
});

test('a request that waits for its landing is answered when the service stops, and the landing goes on', async () => {
  const response = await begun();
  const body = (await speech()).bytes;
  const { url, id } = await create(harness, response);
  await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, body);
  const looked = Promise.withResolvers<void>();
  const looking = Promise.withResolvers<void>();
  const inspect: typeof harness.media.inspect = async request => {
    looking.resolve();
    await looked.promise;
    return harness.media.inspect(request);
  };
  const other = await otherProcess({ media: { ...harness.media, inspect } });
  await harness.uploads.updateOne({ _id: id }, { $set: { length: body.length, completeAt: new Date() } });
  const answer = finishUpload(other, await keyOf(id));
  await looking.promise;
  other.landings.hurry();
  assert.deepEqual(await answer, { status: 202, body: { state: 'finishing' } });
  looked.resolve();
  await other.landings.idle();
  assert.equal((await submissionsOf(response.projectId)).length, 1);
});

/** A take with every byte that is about to land, and whom it is of. */
async function finishing() {
  const response = await begun();
  const body = (await speech()).bytes;
  const { url, id } = await create(harness, response);
  await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, body);
  await harness.uploads.updateOne({ _id: id }, { $set: { length: body.length, completeAt: new Date() } });
  const { uploads } = await otherProcess();
  await uploads.finish(await keyOf(id));
  // Left to the processes of the test by the sweeper of the service.
  await harness.uploads.updateOne({ _id: id }, { $set: { nextTryAt: new Date(Date.now() + 600_000) } });
  return { ...response, id };
}
/** A process whose lease on a landing ends at once, as that of one that sleeps. */
async function sleeper(parts: Partial<LandContext>) {
  const { uploads } = await otherProcess();
  const takeWorker: typeof uploads.takeWorker = (key, workerId) => uploads.takeWorker(key, workerId, 0);
  return await otherProcess({ uploads: { ...uploads, takeWorker }, ...parts });
}
const noVideo: typeof harness.media.inspect = () =>
  Promise.reject(new DomainError('unprocessable', 'This take is no video.'));
const isRefused = async (id: string) => (await harness.uploads.findOne({ _id: id }))?.state === 'refused';
const keysIn = async (prefix: string) =>
  (await Array.fromAsync(harness.objects.list(prefix))).map(({ key }) => key.slice(prefix.length));

test('a take that landed when nobody could look at it is not refused by a later turn that can', async () => {
  const { projectId, id } = await finishing();
  const inspect: typeof harness.media.inspect = () => Promise.reject(new DomainError('unavailable', 'away'));
  const remove = () => Promise.reject(new Error('the process has died'));
  const first = await otherProcess({ media: { ...harness.media, inspect }, objects: { ...harness.objects, remove } });
  await assert.rejects(landUpload(first, await keyOf(id)), /has died/);
  const [submission] = await submissionsOf(projectId);
  assert.ok(submission, 'it was delivered');
  const second = await otherProcess({ media: { ...harness.media, inspect: noVideo } });
  await landUpload(second, await keyOf(id));
  assert.equal((await harness.uploads.findOne({ _id: id }))?.state, 'landed');
  assert.notDeepEqual(await keysIn(`submissions/${projectId}/${submission.submissionId}/`), [], 'its bytes are there');
});

test('a process that slept while another one refused its take delivers nothing and takes no use', async () => {
  const { projectId, linkId, id } = await finishing();
  const [looking, slept] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const inspect: typeof harness.media.inspect = async () => {
    looking.resolve();
    await slept.promise;
    return { inspection: undefined };
  };
  const asleep = await sleeper({ media: { ...harness.media, inspect } });
  const awake = await otherProcess({ media: { ...harness.media, inspect: noVideo } });
  const sleeping = landUpload(asleep, await keyOf(id));
  await looking.promise;
  await landUpload(awake, await keyOf(id));
  assert.ok(await isRefused(id));
  slept.resolve();
  await sleeping;
  assert.deepEqual(await submissionsOf(projectId), [], 'nothing without bytes is delivered');
  const { uniqueLinks } = await harness.projects.listLinks({ ownerId: harness.ownerId, projectId });
  assert.equal(uniqueLinks.find(link => link.linkId === linkId)!.submissionCount, 0);
});

test('a process that slept while another one delivered its take neither refuses it nor stores its upload again', async () => {
  for (const sleepsIn of ['assemble', 'inspect'] as const) {
    const { projectId, id } = await finishing();
    const [sleeping, slept] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const sleep = async () => {
      sleeping.resolve();
      await slept.promise;
    };
    const objects: typeof harness.objects = {
      ...harness.objects,
      async put(key, body, options) {
        const bytes = Buffer.concat(await Array.fromAsync(body as AsyncIterable<Buffer>));
        if (sleepsIn === 'assemble') await sleep();
        await harness.objects.put(key, bytes, options);
      },
    };
    const inspect: typeof harness.media.inspect = async () => {
      await sleep();
      return noVideo({ objectKey: '' });
    };
    const asleep = await sleeper({ objects, media: { ...harness.media, inspect } });
    const awake = await otherProcess();
    const late = landUpload(asleep, await keyOf(id));
    await sleeping.promise;
    await landUpload(awake, await keyOf(id));
    const { submissionId } = (await harness.uploads.findOne({ _id: id }))! as unknown as { submissionId: string };
    await until('the take is made ready, and its upload gone', async () => {
      const row = await harness.landed.findOne({ _id: submissionId });
      return row?.mediaStatus === 'ready' && !row.source;
    });
    slept.resolve();
    await late;
    const left = await keysIn(`submissions/${projectId}/${submissionId}/`);
    assert.ok(
      left.some(key => key.startsWith('video.')),
      `what was delivered stays, with its process asleep in ${sleepsIn}`,
    );
    assert.ok(!left.includes('source'), 'the upload that was dropped is not there again');
  }
});

/** A PATCH whose bytes the test sends as it likes. */
function trickle(url: string, headers: Record<string, string>, length: number) {
  const answer = Promise.withResolvers<number>();
  const outgoing = request(url, {
    method: 'PATCH',
    headers: {
      'Upload-Offset': '0',
      ...headers,
      'Tus-Resumable': '1.0.0',
      'Content-Type': 'application/offset+octet-stream',
      'Content-Length': String(length),
    },
  });
  outgoing.on('error', answer.reject).on('response', response => answer.resolve(response.resume().statusCode!));
  return { outgoing, answer: answer.promise };
}

/** The upload interface of a process beside the service, with other parts where the test wants them. */
async function otherUploads(parts: Partial<Context>) {
  const config = { ...harness.config, ...parts.config, httpListen: '127.0.0.1:0' };
  const context = { ...(await otherProcess()), notes: createNoteStore(openModels(harness.connection)) };
  const server = await startTusServer({
    internal: PLAINTEXT,
    ...{ ...context, uploadObjects: harness.objects, uploadMemory: createByteBudget(config.uploadMemoryBytes) },
    ...parts,
    config,
  } as Context);
  return { url: `http://${server.address}/uploads`, [Symbol.asyncDispose]: () => server.close() };
}

test('of two writers at one offset, the first asleep past its lease, what was acknowledged is kept as it was sent', async () => {
  const response = await begun();
  const { id } = await create(harness, response, { length: 50_000 });
  const { uploads: store } = await otherProcess();
  const [taken, secondWrites] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let [takes, finds] = [0, 0];
  // The database's answer to the first writer comes when its lease has ended, and another one has it.
  const uploads: typeof store = {
    ...store,
    async takeWriter(...about) {
      const state = await store.takeWriter(...about);
      if (state === 'taken' && ++takes === 1) {
        await harness.uploads.updateOne({ _id: id }, { $set: { 'writer.until': new Date(0) } });
      }
      return state;
    },
    renewWriter: () => Promise.resolve('held'),
    lookWriter: () => Promise.resolve('held'),
    async find(uploadId) {
      const upload = await store.find(uploadId);
      if (takes === 1 && ++finds === 1) {
        // Not before, or this could be the second one's.
        taken.resolve();
        await secondWrites.promise;
      }
      if (takes === 2) secondWrites.resolve();
      return upload;
    },
  };
  await using beside = await otherUploads({ uploads });
  const first = trickle(`${beside.url}/${id}`, response.headers, 25_000);
  first.outgoing.flushHeaders();
  await taken.promise;
  const second = trickle(`${beside.url}/${id}`, response.headers, 25_000);
  second.outgoing.write(Buffer.alloc(20_000, 'b'));
  await secondWrites.promise;
  first.outgoing.end(Buffer.alloc(25_000, 'a'));
  const statuses = [await first.answer];
  second.outgoing.end(Buffer.alloc(5_000, 'b'));
  statuses.push(await second.answer);

  assert.deepEqual(statuses.toSorted(), [204, 423], 'one of the two is told to come again');
  const sent = statuses[0] === 204 ? 'a' : 'b';
  const kept = await Array.fromAsync(harness.objects.list(`uploads/${id}/`));
  assert.deepEqual(
    kept.map(object => object.size),
    [25_000],
    'the bytes that were acknowledged are in the store, and no others',
  );
  const bytes = Buffer.concat(await Array.fromAsync(await harness.objects.get(kept[0]!.key)));
  assert.ok(bytes.equals(Buffer.alloc(25_000, sent)), 'as they were sent');
});

test('a take that came through two processes in turn lands with the bytes and checksums of all', async () => {
  const response = await begun();
  const body = (await speech(2)).bytes;
  const { id } = await create(harness, response, { length: body.length });
  await using beside = await otherUploads({});
  const cuts = [0, 10_000, 25_000, body.length];
  for (const [at, uploads] of [harness.uploadsUrl, beside.url, harness.uploadsUrl].entries()) {
    const headers = { ...response.headers, 'Upload-Offset': String(cuts[at]) };
    const answer = await tusRequest(`${uploads}/${id}`, 'PATCH', headers, body.subarray(cuts[at], cuts[at + 1]));
    assert.equal(answer.status, at === 2 ? 200 : 204);
  }
  const [submission] = await submissionsOf(response.projectId);
  assert.equal(submission?.sha256, createHash('sha256').update(body).digest('hex'));
});

test('a take that its response refuses for good ends, with the sentence, and its bytes are kept for the operator', async () => {
  const { id, headers, linkId, responseSessionId } = await finishing();
  const landClip: typeof harness.projects.landClip = () =>
    Promise.reject(new DomainError('gone', 'This link has ended.'));
  await landUpload(await otherProcess({ projects: { ...harness.projects, landClip } }), await keyOf(id));
  const seen = await tusRequest(`${harness.uploadsUrl}/${id}`, 'HEAD', headers);
  assert.equal(seen.status, 422);
  const { uploads } = await harness.submissions.listUploads({ linkId, projectId: '', responseSessionId });
  assert.deepEqual([uploads[0]?.state, uploads[0]?.error], [UploadState.UPLOAD_STATE_REFUSED, 'This link has ended.']);
  assert.notDeepEqual(await keysIn(`uploads/${id}/`), [], 'the bytes are there');
  const { uploads: store } = await otherProcess();
  assert.ok(await store.retry(await keyOf(id)), 'the operator can have it tried again');
  // The service may be quicker than this one.
  await landUpload(await otherProcess(), await keyOf(id));
  await until('the take has landed', async () => (await harness.uploads.findOne({ _id: id }))?.state === 'landed');
});

test('a take whose landing fails with nothing away ends as failed, is shown to the operator, and lands once it is retried', async () => {
  const { id, projectId } = await finishing();
  const landClip: typeof harness.projects.landClip = () => Promise.reject(new Error('a fault of our own'));
  const config = { ...harness.config, landingFaultsMax: 2 };
  const broken = await otherProcess({ config, projects: { ...harness.projects, landClip } });
  const troubled = async (failedOnly: boolean) => {
    const { uploads } = await harness.operator.listTroubledUploads({ pageSize: 0, cursor: '', failedOnly });
    return uploads.find(each => each.uploadId === id);
  };
  await assert.rejects(landUpload(broken, await keyOf(id)), /a fault of our own/);
  await harness.uploads.updateOne({ _id: id }, { $set: { nextTryAt: new Date(Date.now() + 600_000) } });
  const tried = await troubled(false);
  assert.deepEqual([tried?.state, tried?.failures, tried?.problem], ['finishing', 1, 'a fault of our own']);
  assert.equal(await troubled(true), undefined);
  await landUpload(broken, await keyOf(id));
  const ended = await troubled(true);
  assert.deepEqual([ended?.state, ended?.faults, ended?.problem], ['failed', 2, 'a fault of our own']);
  assert.match(ended!.error, /kept for the operator/);
  assert.equal(ended!.keptUntil!.getTime() - ended!.lastByteAt!.getTime(), 600_000);

  const { upload } = await harness.operator.retryUpload({ uploadId: id });
  assert.equal(upload?.state, 'finishing');
  await until('the take has landed', async () => (await submissionsOf(projectId)).length === 1);
  const shown = async () => (await harness.operator.getTroubledUpload({ uploadId: id })).upload?.state;
  await until('its upload has too', async () => (await shown()) === 'landed');
  await assert.rejects(harness.operator.retryUpload({ uploadId: id }), { code: 'gone', message: /it is landed/ });
  await assert.rejects(harness.operator.retryUpload({ uploadId: 'x' }), { code: 'not_found' });
});

/** Returns the take that lands; undefined where the service's own sweeper was quicker to remove it. */
async function retriedAsItsHoldEnds(): Promise<string | undefined> {
  const { id, projectId } = await finishing();
  const landClip: typeof harness.projects.landClip = () => Promise.reject(new DomainError('gone', 'It has ended.'));
  await landUpload(await otherProcess({ projects: { ...harness.projects, landClip } }), await keyOf(id));
  const { uploads: store } = await otherProcess();
  let isRetried = false;
  const idle: typeof store.idle = async (state, ...bounds) => {
    if (state === 'refused') await outlast(id);
    const over = await store.idle(state, ...bounds);
    if (state === 'refused')
      isRetried = await harness.operator.retryUpload({ uploadId: id }).then(
        () => true,
        error => {
          if ((error as DomainError).code === 'gone') return false;
          throw error;
        },
      );
    return over;
  };
  await endHolds(await otherProcess({ uploads: { ...store, idle } }));
  return isRetried ? projectId : undefined;
}

test('a failed take that the operator retries while its hold ends keeps its bytes and lands', async () => {
  const projectId = await until('a take that was retried in time', retriedAsItsHoldEnds);
  await until('the take has landed', async () => (await submissionsOf(projectId)).length === 1);
});

test('an upload that is being written when its hold ends is neither removed nor salvaged', async () => {
  for (const length of [undefined, 50_000]) {
    const response = await begun();
    const { url, id } = await create(harness, response, length === undefined ? {} : { length });
    await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, Buffer.alloc(1_000));
    const late = trickle(url, { ...response.headers, 'Upload-Offset': '1000' }, 2_000);
    late.outgoing.write(Buffer.alloc(500));
    await until('the upload is written to', async () => (await harness.uploads.findOne({ _id: id }))?.writer);
    await outlast(id);
    await endHolds(await otherProcess());
    late.outgoing.end(Buffer.alloc(1_500));
    assert.equal(await late.answer, 204);
    assert.equal((await tusRequest(url, 'HEAD', response.headers)).headers.get('upload-offset'), '3000');
  }
});

test('a request whose client leaves gives back what it may hold', async () => {
  const uploadMemory = createByteBudget(4 * 1024 * 1024);
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

test('slow writers hold little, and one more than there is memory for comes again later', async () => {
  const uploadMemory = createByteBudget(400 * 1024);
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
  for (const { outgoing, answer } of slow) {
    outgoing.end(Buffer.alloc(9_700));
    assert.equal(await answer, 204);
  }
  await until('all of the memory is free again', async () => uploadMemory.free === uploadMemory.limit);
  const taken = await tusRequest(`${beside.url}/${id}`, 'PATCH', patch, Buffer.alloc(100));
  assert.equal(taken.status, 204);
});

test('the trace of the request that brought the last byte is kept with the clip, also when others make it land and erase it', async () => {
  const response = await begun();
  const body = (await speech()).bytes;
  const { url, id } = await create(harness, response);
  await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, body);
  assert.equal((await harness.operator.getTrace({ id })).traceId, '', 'it has not landed');
  const submissionId = uuidv7();
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const trace = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, tracestate: '' };
  // What is in the database when a process is killed right after it began to make it land.
  const began = { state: 'finishing', submissionId, finishingAt: new Date(), nextTryAt: new Date(0), trace };
  await harness.uploads.updateOne({ _id: id }, { $set: { ...began, length: body.length } });
  const asked = { submissionId, projectId: response.projectId, traceId };
  const landed = await until('the take lands without its client', async () => {
    const found = await harness.operator.getTrace({ id: submissionId }).catch(() => undefined);
    return found?.at && found;
  });
  assert.deepEqual(landed, { ...asked, at: began.finishingAt });
  assert.deepEqual(await harness.operator.getTrace({ id }), landed, 'also by the id of its upload');
  await harness.operator.eraseSubmission({ submissionId, dryRun: false });
  assert.deepEqual(await harness.operator.getTrace({ id: submissionId }), { ...asked, at: undefined });
  await assert.rejects(harness.operator.getTrace({ id: uuidv7() }), { code: 'not_found' });
});
