import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import { createUpload, tusRequest } from '@recording-request/harness/tus';
import { DomainError } from '@recording-request/kit/errors';
import { until } from '@recording-request/testing/wait';
import { type LandContext, landUpload } from '../src/workflows/uploads/land-upload.ts';
import {
  begun,
  finishing,
  harness,
  keyOf,
  keysIn,
  noVideo,
  otherProcess,
  otherUploads,
  submissionsOf,
  trickle,
} from './takes.ts';
import { create, speech } from './test-service.ts';

/**
 * Returns a process whose lease on a landing ends at once, like the lease of a process that pauses in each of its
 * steps.
 */
async function sleeper(parts: Partial<LandContext>) {
  return await otherProcess({ config: { ...harness.config, landingLeaseSeconds: 0 }, ...parts });
}

const isRefused = async (id: string) => (await harness.uploads.findOne({ _id: id }))?.state === 'refused';

test('a take that landed without an inspection during an outage is not refused by a later inspection', async () => {
  const { projectId, id } = await finishing();
  const inspect: typeof harness.media.inspect = () => Promise.reject(new DomainError('unavailable', 'away'));
  const first = await otherProcess({ media: { ...harness.media, inspect } });
  first.uploads.land = () => Promise.reject(new Error('the process has died'));
  await assert.rejects(landUpload(first, await keyOf(id)), /has died/);
  const [submission] = await submissionsOf(projectId);
  assert.ok(submission, 'the take was delivered');
  const second = await otherProcess({ media: { ...harness.media, inspect: noVideo } });
  await landUpload(second, await keyOf(id));
  assert.equal((await harness.uploads.findOne({ _id: id }))?.state, 'landed');
  assert.notDeepEqual(await keysIn(`uploads/${id}/`), [], 'its bytes are kept');
});

test('a landing that cannot renew its lease cancels its inspection, and a retry lands the take', async () => {
  const { projectId, id } = await finishing();
  const looking = Promise.withResolvers<AbortSignal>();
  const inspect: typeof harness.media.inspect = async (_, options) => {
    const signal = options!.signal!;
    looking.resolve(signal);
    await once(signal, 'abort', { signal: AbortSignal.timeout(10_000) });
    throw new DomainError('cancelled', 'away');
  };
  const { uploads } = await otherProcess();
  const renewWorker: typeof uploads.renewWorker = async () => {
    await looking.promise;
    throw new Error('the database is down');
  };
  const failing = await otherProcess({ uploads: { ...uploads, renewWorker }, media: { ...harness.media, inspect } });
  await assert.rejects(landUpload(failing, await keyOf(id)), /the database is down/);
  assert.ok((await looking.promise).aborted, 'the inspection is cancelled');
  await landUpload(await otherProcess(), await keyOf(id));
  assert.equal((await submissionsOf(projectId)).length, 1);
});

test('a process that slept while another one refused its take delivers nothing and takes no use of its link', async () => {
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
  assert.deepEqual(await submissionsOf(projectId), [], 'no clip without bytes is delivered');
  const { uniqueLinks } = await harness.projects.listLinks({ ownerId: harness.ownerId, projectId });
  assert.equal(uniqueLinks.find(link => link.linkId === linkId)!.submissionCount, 0);
});

test('a process that slept while another one delivered its take neither refuses the take nor stores its upload again', async () => {
  for (const sleepsIn of ['assemble', 'inspect'] as const) {
    const { projectId, id } = await finishing({ isPaged: sleepsIn === 'assemble' });
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
    await until('the media is ready, and the upload is removed', async () => {
      const row = await harness.landed.findOne({ _id: submissionId });
      return row?.mediaStatus === 'ready' && !row.source;
    });
    slept.resolve();
    await late;
    const left = await keysIn(`submissions/${projectId}/${submissionId}/`);
    assert.ok(
      left.some(key => key.startsWith('video.')),
      `the delivered video stays while its process sleeps in ${sleepsIn}`,
    );
    assert.ok(!left.includes('source'), 'the removed upload does not come back');
  }
});

test('a take that the store assembled with a wrong size is not delivered, and is assembled again', async () => {
  const { projectId, id } = await finishing({ isPaged: true });
  const stat: typeof harness.objects.stat = async key => {
    const found = await harness.objects.stat(key);
    return found && { ...found, size: found.size - 1 };
  };
  const first = await otherProcess({ objects: { ...harness.objects, stat } });
  await assert.rejects(landUpload(first, await keyOf(id)), /was stored with/);
  assert.deepEqual(await submissionsOf(projectId), []);
  assert.ok(!(await harness.uploads.findOne({ _id: id }))?.sha256, 'the record has no checksum of an assembled take');
  await landUpload(await otherProcess(), await keyOf(id));
  const [submission, ...others] = await submissionsOf(projectId);
  assert.deepEqual([submission?.fileSize, others], [(await speech()).bytes.length, []]);
});

test('two writers at one offset, the first with an expired lease: the acknowledged bytes are kept as sent', async () => {
  const response = await begun();
  const { id } = await create(harness, response, { length: 50_000 });
  const { uploads: store } = await otherProcess();
  const [taken, secondWrites] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let takes = 0;
  // Delays the database's reply to the first writer until its lease has ended and the second writer has the lease.
  const uploads: typeof store = {
    ...store,
    async takeWriter(...about) {
      const upload = await store.takeWriter(...about);
      if (typeof upload !== 'object') return upload;
      takes += 1;
      if (takes === 1) {
        await harness.uploads.updateOne({ _id: id }, { $set: { 'writer.until': new Date(0) } });
        taken.resolve();
        await secondWrites.promise;
      }
      secondWrites.resolve();
      return upload;
    },
    renewWriter: () => Promise.resolve('held'),
    lookWriter: () => Promise.resolve('held'),
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

  assert.deepEqual(statuses.toSorted(), [204, 423], 'one of the two must retry');
  const sent = statuses[0] === 204 ? 'a' : 'b';
  const kept = await Array.fromAsync(harness.objects.list(`uploads/${id}/`));
  assert.deepEqual(
    kept.map(object => object.size),
    [25_000],
    'the store has only the acknowledged bytes',
  );
  const bytes = Buffer.concat(await Array.fromAsync(await harness.objects.get(kept[0]!.key)));
  assert.ok(bytes.equals(Buffer.alloc(25_000, sent)), 'the bytes are unchanged');
});

test('a take that arrives through two processes in turn lands with all bytes and correct checksums', async () => {
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

test('a note that is set while its upload starts is used, and a note sent with the upload stays', async () => {
  const { projectId, linkId, responseSessionId, headers } = await begun();
  const key = { projectId, linkId, responseSessionId, questionIndex: undefined };
  const setNote = (note: string) => harness.submissions.setResponseNote({ ...key, note });
  await setNote('an earlier note');
  const { uploads: store } = await otherProcess();
  const insert: typeof store.insert = async (...upload) => {
    await setNote('the last note');
    return await store.insert(...upload);
  };
  await using beside = await otherUploads({ uploads: { ...store, insert } });
  const noteOf = async (fields: Record<string, string>) => {
    const metadata = { responseSessionId, filetype: 'video/webm', ...fields };
    const { id } = await createUpload(beside.url, { headers, length: 10, metadata });
    return (await harness.uploads.findOne({ _id: id }))?.note;
  };
  assert.equal(await noteOf({}), 'the last note');
  assert.equal(await noteOf({ note: 'its own note' }), 'its own note');
});
