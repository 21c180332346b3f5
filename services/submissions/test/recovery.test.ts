import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BACKUP_LEASE } from '@recording-request/contract/backup-lease';
import { tusRequest } from '@recording-request/harness/tus';
import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import { createLease, takeLease } from '@recording-request/kit-mongo/lease';
import type { Event } from '@recording-request/proto/events/v1/events';
import { UploadState } from '@recording-request/proto/submissions/v1/submissions';
import { openInbox } from '@recording-request/testing/event-inbox';
import { inTrace } from '@recording-request/testing/in-trace';
import { until } from '@recording-request/testing/wait';
import { endHolds } from '../src/workflows/uploads/end-holds.ts';
import { finishUpload, landUpload } from '../src/workflows/uploads/land-upload.ts';
import { removePartsLeft } from '../src/workflows/uploads/remove-parts-left.ts';
import { begun, finishing, harness, keyOf, keysIn, otherProcess, outlast, submissionsOf } from './takes.ts';
import { create, speech } from './test-service.ts';

test('the sweeper lands a take whose last request died after the last byte and before the landing', async () => {
  const response = await begun();
  const body = (await speech()).bytes;
  const { url, id } = await create(harness, response);
  const sent = await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, body);
  assert.equal(sent.status, 204);
  // The state after a process was killed directly after it wrote the declared length.
  await harness.uploads.updateOne({ _id: id }, { $set: { length: body.length, completeAt: new Date() } });
  const [submission] = await until('the take lands without its client', async () => {
    const rows = await submissionsOf(response.projectId);
    return rows.length > 0 && rows;
  });
  assert.equal(submission!.incomplete, false);
});

test('a landing that the sweeper starts is in the trace of the request with the last byte', async () => {
  const response = await begun();
  const { id } = await create(harness, response, { length: 5 });
  const { uploads } = await otherProcess();
  const key = await keyOf(id);
  const traceId = uuidv7().replaceAll('-', '');
  assert.ok(await uploads.takeWriter(key, 'writer', 60_000));
  const part = { key: `uploads/${id}/0`, offset: 0, size: 5 };
  await inTrace(`00-${traceId}-b7ad6b7169203331-01`, () => uploads.append(key, 'writer', part, { isLast: true }));
  // A sweeper may call this before the request continues.
  await uploads.finish(key);
  const upload = await uploads.find(key);
  assert.equal(upload?.state, 'finishing');
  assert.match(String(upload?.trace?.traceparent), new RegExp(traceId));
});

test('bytes that a backup’s records name stay during the backup, and are removed after it', async () => {
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
    await until('its media is made, and its upload waits for the sweeper', async () => {
      const row = await harness.landed.findOne({ _id: submissionId });
      return row?.mediaStatus === 'ready' && row.sourceHeldUntil;
    });
    for (const upload of [id, noVideo.id, taken.id])
      assert.ok((await partsOf(upload)).length > 0, 'an earlier record names these parts');
    const orphans = { cursor: 'objects:', deep: false, deleteOrphans: true, orphanAgeSeconds: 0 };
    await assert.rejects(harness.operator.checkStore(orphans), {
      code: 'unavailable',
      message: /backup is being made/,
    });
  }
  const left = async () => (await Promise.all([id, noVideo.id, taken.id].map(partsOf))).flat();
  await until('all parts are removed after the backup', async () => (await left()).length === 0);
});

test('a landing that died after the answer was recorded ends with one submission, not two', async () => {
  const response = await begun();
  const body = (await speech()).bytes;
  const { url, id } = await create(harness, response, { length: body.length });
  const answer = await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, body);
  const { submissionId } = (await answer.json()) as { submissionId: string };
  // The state after a process died before it marked the upload as landed. The steps then run once more.
  await harness.uploads.updateOne({ _id: id }, { $set: { state: 'finishing', nextTryAt: new Date(0) } });
  await until('the upload lands again', async () => (await harness.uploads.findOne({ _id: id }))?.state === 'landed');
  const rows = await submissionsOf(response.projectId);
  assert.deepEqual(
    rows.map(row => row.submissionId),
    [submissionId],
  );
});

test('an interview is published as one event once all its answers are stored, in any order', async () => {
  const { projectId, links } = await harness.project({ interviewQuestions: ['Who?', 'Why?'] });
  const { linkId } = links[0]!;
  const response = await harness.begin(projectId, linkId);
  const inbox = await openInbox(await harness.stores.kafka(), 'webhooks.events');
  const { responseSessionId } = response;
  const isWhole = ({ payload }: Event) =>
    payload?.$case === 'responseCompleted' && payload.value.responseSessionId === responseSessionId;
  const announced = () => inbox.events.filter(isWhole);
  const body = (await speech()).bytes;
  const { length } = body;
  const first = await create(harness, response, { fields: { questionIndex: '0' } });
  await tusRequest(first.url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, body);
  // The state after a landing died that had already recorded its clip in the response. The sweeper retries the landing
  // in an hour.
  const submissionId = uuidv7();
  const finishing = { state: 'finishing', submissionId, finishingAt: new Date(), length };
  const nextTryAt = new Date(Date.now() + 3_600_000);
  await harness.uploads.updateOne({ _id: first.id }, { $set: { ...finishing, nextTryAt } });
  await harness.projects.landClip({ linkId, responseSessionId, questionIndex: 0, submissionId });

  const second = await create(harness, response, { length, fields: { questionIndex: '1' } });
  const answer = await tusRequest(second.url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, body);
  const last = (await answer.json()) as { submissionId: string; complete: boolean };
  assert.equal(last.complete, true, 'the contributor sees the interview as complete');
  const isOf = (event: Event) =>
    event.payload?.$case === 'submissionMedia' && event.payload.value.submission?.submissionId === last.submissionId;
  const media = await inbox.first(isOf);
  assert.equal(media.type, 'submission.media.completed');
  // The events have the same key, so they arrive in order: an earlier event would already be here.
  assert.deepEqual(announced(), [], 'one answer cannot be fetched yet');

  const again = () => harness.uploads.updateOne({ _id: first.id }, { $set: { nextTryAt: new Date(0) } });
  await again();
  const { id, payload } = await inbox.first(isWhole);
  assert.ok(payload?.$case === 'responseCompleted');
  const { submissionIds, linkId: link, responseSessionId: session } = payload.value;
  assert.deepEqual([submissionIds, link, session], [[submissionId, last.submissionId], linkId, responseSessionId]);
  assert.equal((await submissionsOf(projectId)).length, 2);

  await until(
    'the answer has landed',
    async () => (await harness.uploads.findOne({ _id: first.id }))?.state === 'landed',
  );
  await harness.uploads.updateOne({ _id: first.id }, { $set: { state: 'finishing' } });
  await again();
  await until('the repeated landing publishes the event again', () => announced().length === 2);
  assert.deepEqual(new Set(announced().map(event => event.id)), new Set([id]), 'both events have the same id');

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

test('a take that was never sent is deleted when its hold ends, and its use is returned', async () => {
  const response = await begun();
  const body = (await speech()).bytes;
  const { url, id } = await create(harness, response);
  await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, body);
  await outlast(id);
  await until('the upload is removed', async () => (await harness.uploads.findOne({ _id: id })) === null);
  for await (const { key } of harness.objects.list(`uploads/${id}/`)) assert.fail(`${key} is left behind`);
  assert.deepEqual(await submissionsOf(response.projectId), []);
  const link = await until('the use is returned', async () => {
    const { uniqueLinks } = await harness.projects.listLinks({
      ownerId: harness.ownerId,
      projectId: response.projectId,
    });
    const found = uniqueLinks.find(entry => entry.linkId === response.linkId)!;
    return found.remainingUses === 1 && found;
  });
  assert.equal(link.submissionCount, 0);
});

test('a use is returned some time after its client deleted the only upload of the response', async () => {
  const response = await begun();
  const { url } = await create(harness, response);
  await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, Buffer.alloc(5_000));
  assert.equal((await tusRequest(url, 'DELETE', response.headers)).status, 204);
  await until('the use is returned', async () => {
    const { uniqueLinks } = await harness.projects.listLinks({
      ownerId: harness.ownerId,
      projectId: response.projectId,
    });
    return uniqueLinks.find(entry => entry.linkId === response.linkId)!.remainingUses === 1;
  });
});

test('a sent take that did not arrive completely is salvaged as incomplete when its hold ends', async () => {
  const response = await begun();
  const body = (await speech(4)).bytes;
  const { url, id } = await create(harness, response, { length: body.length });
  const part = body.subarray(0, Math.floor(body.length * 0.7));
  const sent = await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, part);
  assert.equal(sent.status, 204);
  await outlast(id);
  const [submission] = await until('the playable part of the take lands', async () => {
    const rows = await submissionsOf(response.projectId);
    return rows.length > 0 && rows;
  });
  assert.equal(submission!.incomplete, true);
});

test('a landing that cannot succeed backs off, and blocks no other take', async () => {
  const stuck = await begun();
  const body = (await speech()).bytes;
  const upload = await create(harness, stuck);
  await tusRequest(upload.url, 'PATCH', { ...stuck.headers, 'Upload-Offset': '0' }, body);
  // The store has lost a part, so no retry can succeed.
  for await (const { key } of harness.objects.list(`uploads/${upload.id}/`)) await harness.objects.remove([key]);
  await harness.uploads.updateOne({ _id: upload.id }, { $set: { length: body.length, completeAt: new Date() } });
  const response = await begun();
  const other = await create(harness, response);
  await tusRequest(other.url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, body);
  await harness.uploads.updateOne({ _id: other.id }, { $set: { length: body.length, completeAt: new Date() } });
  await until('the other take lands', async () => (await submissionsOf(response.projectId)).length > 0);
  await until('the failure is counted, and the next retry is later', async () => {
    const row = await harness.uploads.findOne({ _id: upload.id });
    return Number(row?.failures) > 0 && (row!.nextTryAt as Date).getTime() > Date.now();
  });
});

test('the parts of an assembled take are removed even if the process that started the removal died', async () => {
  const { id } = await finishing({ isPaged: true });
  const remove = () => Promise.reject(new Error('the process has died'));
  const other = await otherProcess({ objects: { ...harness.objects, remove } });
  await landUpload(other, await keyOf(id));
  await removePartsLeft(other).catch(() => {});
  // Ends the claim now; otherwise it would end after a minute.
  await harness.uploads.updateOne({ _id: id, partsDueAt: { $exists: true } }, { $set: { partsDueAt: new Date(0) } });
  await until('no part is left', async () => (await keysIn(`uploads/${id}/`)).length === 0);
});

test('the parts of a take that was assembled while a backup started are kept', async () => {
  const { id } = await finishing({ isPaged: true });
  const looks = [true];
  const other = await otherProcess();
  const backupHold = { ...other.backupHold, isHeld: async () => looks.shift() ?? false };
  await landUpload(other, await keyOf(id));
  await removePartsLeft({
    ...other,
    backupHold,
    uploads: { ...other.uploads, takePartsLeft: async () => [await keyOf(id)] },
  });
  assert.deepEqual(looks, [], 'the hold is checked after the landing');
  assert.notDeepEqual(await keysIn(`uploads/${id}/`), [], 'the backup may name them');
});

test('a refusal that died before it removed the bytes leaves none after the hold ends', async () => {
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

test('a request that waits for its landing gets an answer when the service stops, and the landing continues', async () => {
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

test('a take that its response refuses permanently ends with the error sentence, and its bytes are kept for the operator', async () => {
  const { id, headers, projectId, linkId, responseSessionId } = await finishing();
  const landClip: typeof harness.projects.landClip = () =>
    Promise.reject(new DomainError('gone', 'This link has ended.'));
  await landUpload(await otherProcess({ projects: { ...harness.projects, landClip } }), await keyOf(id));
  const seen = await tusRequest(`${harness.uploadsUrl}/${id}`, 'HEAD', headers);
  assert.equal(seen.status, 422);
  const { uploads } = await harness.submissions.listUploads({ linkId, projectId, responseSessionId });
  assert.deepEqual([uploads[0]?.state, uploads[0]?.error], [UploadState.UPLOAD_STATE_REFUSED, 'This link has ended.']);
  assert.notDeepEqual(await keysIn(`uploads/${id}/`), [], 'the bytes are kept');
  const { uploads: store } = await otherProcess();
  assert.ok(await store.retry(await keyOf(id)), 'the operator can retry it');
  // The service may land the take before this process does.
  await landUpload(await otherProcess(), await keyOf(id));
  await until('the take has landed', async () => (await harness.uploads.findOne({ _id: id }))?.state === 'landed');
});

test('a take whose landing fails without an outage ends as failed, is listed for the operator, and lands after a retry', async () => {
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
  await until('its upload has landed too', async () => (await shown()) === 'landed');
  await assert.rejects(harness.operator.retryUpload({ uploadId: id }), { code: 'gone', message: /it is landed/ });
  await assert.rejects(harness.operator.retryUpload({ uploadId: 'x' }), { code: 'not_found' });
});

/**
 * Returns the project of the take that is landing; undefined when the service's own sweeper has already removed the
 * take.
 */
async function retryWhileHoldEnds(): Promise<string | undefined> {
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

test('a failed take that the operator retries while its hold ends keeps its bytes, and lands', async () => {
  const projectId = await until('a take is retried in time', retryWhileHoldEnds);
  await until('the take has landed', async () => (await submissionsOf(projectId)).length === 1);
});

test('a clip keeps the trace of the request with its last byte, even when others land and erase it', async () => {
  const response = await begun();
  const body = (await speech()).bytes;
  const { url, id } = await create(harness, response);
  await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, body);
  assert.equal((await harness.operator.getTrace({ id })).traceId, '', 'the upload has not landed');
  const submissionId = uuidv7();
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const trace = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, tracestate: '' };
  // The state after a process was killed directly after it started the landing.
  const began = { state: 'finishing', submissionId, finishingAt: new Date(), nextTryAt: new Date(0), trace };
  await harness.uploads.updateOne({ _id: id }, { $set: { ...began, length: body.length } });
  const requested = { submissionId, projectId: response.projectId, traceId };
  const landed = await until('the take lands without its client', async () => {
    const found = await harness.operator.getTrace({ id: submissionId }).catch(() => undefined);
    return found?.at && found;
  });
  assert.deepEqual(landed, { ...requested, at: began.finishingAt });
  assert.deepEqual(await harness.operator.getTrace({ id }), landed, 'the upload’s id finds it too');
  await harness.operator.eraseSubmission({ submissionId, dryRun: false });
  assert.deepEqual(await harness.operator.getTrace({ id: submissionId }), { ...requested, at: undefined });
  await assert.rejects(harness.operator.getTrace({ id: uuidv7() }), { code: 'not_found' });
});
