import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { createDeadLetterStore } from '../src/store/dead-letters.ts';
import { createErasureStore } from '../src/store/erasures.ts';
import { recordMedia } from '../src/workflows/clips/record-media.ts';
import { purgeAgain } from '../src/workflows/erasure/purge-again.ts';
import { endArchives, removeArchives } from '../src/workflows/exports/end-archives.ts';
import { openProjectsOfClips, rowId, VIDEO } from './project-of-clips.ts';

const { clipsOf, models } = openProjectsOfClips();

test('an archive resumed at 50 offsets while clips land returns the same bytes, and its plan reads no video', async () => {
  const { open, bytesOf, clip, insert, change, reads, stored, projectId } = await clipsOf(20_000, undefined, 30);
  const begun = await open();
  assert.equal(reads(), 0, 'its length and checksums are known');
  assert.match(begun.etag, /^"[\w-]{43}"$/);
  const kept = stored.get(`exports/${projectId}/${begun.id}/parts`)!;
  assert.ok(!kept.includes('submissionId'), 'the stored texts are encrypted');
  const bytes = await bytesOf(begun);
  assert.equal(bytes.length, begun.size);
  for (let cut = 0; cut < 50; cut++) {
    await insert([clip(100 + cut, { responseId: `late ${cut}` })]);
    if (cut === 25) await change(3, { $set: { reviewNote: 'changed meanwhile' } });
    const offset = Math.floor(Math.random() * begun.size);
    const again = await open(cut % 2 === 0 ? { etag: begun.etag } : { resume: true });
    assert.equal(again.etag, begun.etag);
    assert.ok((await bytesOf(again, offset)).equals(bytes.subarray(offset)), `from byte ${offset}`);
  }
  const now = await open();
  assert.notEqual(now.etag, begun.etag, 'a new download includes the clips that have landed');
  assert.equal((await open({ resume: true })).etag, now.etag, 'without an ETag, the last archive is resumed');
  assert.equal((await open({ etag: begun.etag })).etag, begun.etag);
});

test('a resumed download without an ETag learns that it may have started with another archive', async () => {
  const { open, clip, insert, erase } = await clipsOf(29_500, undefined, 3);
  await open();
  await insert([clip(100)]);
  assert.equal((await open({ resume: true })).mayDiffer, false, 'only one archive was opened');
  await open();
  assert.equal((await open({ resume: true })).mayDiffer, true);
  assert.ok(await erase(1));
  assert.equal((await open({ resume: true })).mayDiffer, true, 'its first archive has ended');
});

test('a project keeps few archives: an archive in use survives newer ones, an unused one is removed', async () => {
  const { open, locate, change, projectId } = await clipsOf(29_700, undefined, 2);
  const openOthers = async (states: number, word: string) => {
    for (let state = 0; state < states; state += 1) {
      await change(1, { $set: { reviewNote: `${word} ${state}` } });
      await open();
    }
  };
  const begun = await open();
  await openOthers(12, 'while it is read');
  assert.notEqual((await locate(begun.id, 0)).length, 0);
  const idle = new Date(Date.now() + 3_600_000 - 10 * 60_000);
  await models().archives.updateMany({ projectId }, { $set: { expiresAt: idle } });
  await openOthers(1, 'ten minutes later');
  await assert.rejects(locate(begun.id, 0), { code: 'gone' });
  assert.equal(await models().archives.countDocuments({ projectId, endedAt: null }), 10);
});

test('the same content gives the same archive; another filter or links give another one', async () => {
  const { open, bytesOf, projectId } = await clipsOf(21_000, undefined, 3);
  const first = await open();
  const bytes = await bytesOf(first);
  assert.equal((await open()).id, first.id, 'the archive is not made twice');
  await models().archives.updateMany({ projectId }, { $set: { expiresAt: new Date(0) } });
  const again = await open({ etag: first.etag });
  assert.notEqual(again.id, first.id);
  assert.equal(again.etag, first.etag, 'a download can be resumed after its plan has expired');
  assert.ok((await bytesOf(again)).equals(bytes));
  const withLinks = await open({ includeLinks: true, etag: first.etag });
  assert.notEqual(withLinks.etag, first.etag, 'an ETag does not give access to other content');
});

test('the archive of a project that has not changed for long is found without reading its rows', async () => {
  const { open, change, context, erase } = await clipsOf(27_000, undefined, 5);
  const first = await open();
  const looks = { plan: 0 };
  const { plan } = context.exportRows;
  context.exportRows.plan = (...of) => {
    looks.plan += 1;
    return plan(...of);
  };
  assert.equal((await open()).id, first.id);
  assert.equal(looks.plan, 0);
  await change(2, { $set: { reviewNote: 'now' } });
  const second = await open();
  assert.notEqual(second.etag, first.etag, 'a change makes a new archive at once');
  await change(2, { $set: { reviewNote: 'in the same millisecond' }, $currentDate: {} });
  assert.notEqual((await open()).etag, second.etag, 'a change just after it does too');
  assert.equal(looks.plan, 2);
  await erase(1);
  await open();
  assert.equal(looks.plan, 3, 'an erasure reads the rows again');
});

test('an erasure ends an archive at once, in whichever process it was made, and removes its stored data', async () => {
  const { open, locate, erase, bytesOf, stored, context, projectId } = await clipsOf(22_000, undefined, 30);
  const begun = await open();
  const middle = Math.floor(begun.size / 2);
  assert.notEqual((await locate(begun.id, middle)).length, 0);
  assert.ok(await erase(7));
  for (const offset of [0, middle, begun.size - 1])
    await assert.rejects(locate(begun.id, offset), { code: 'gone' }, `from byte ${offset}`);
  await assert.rejects(locate(begun.id, 0, 0), { code: 'gone' }, 'a running download fails too');
  const next = await open({ etag: begun.etag });
  assert.notEqual(next.etag, begun.etag, 'If-Range gets the whole new archive');
  assert.ok(!(await bytesOf(next)).includes(rowId(22_007)), 'without the clip');
  const parts = () => [...stored.keys()].filter(key => key.startsWith(`exports/${projectId}/`));
  assert.equal(parts().length, 2);
  await endArchives(context as never, projectId);
  assert.deepEqual(parts(), []);
  assert.equal(await models().archives.countDocuments({ projectId, endedAt: null }), 0);
});

test('a download that started after an erasure continues while late data of the erased clip is removed', async () => {
  const { open, locate, erase, context, projectId } = await clipsOf(28_000, undefined, 5);
  const erasures = createErasureStore(models());
  const deadLetters = createDeadLetterStore(models());
  const purge = async (prefix: string) => {
    await context.objects.purge(prefix);
    return { objects: 0, versions: 0, bytes: 0 };
  };
  const config = { eraseAgainSeconds: 3_600 };
  const projects = { forgetReference: async () => ({ references: 0, people: 0, linkId: '' }) };
  const sweeper = { ...context, config, erasures, deadLetters, projects, objects: { ...context.objects, purge } };
  const purgeDue = async () => {
    await models().submissions.updateOne({ _id: rowId(28_002), projectId }, { $set: { purgeAt: new Date(0) } });
    await purgeAgain(sweeper as never);
  };
  const before = await open();
  const answer = { linkId: 'link', responseId: 'response 28002', questionIndex: 0 };
  assert.ok(await erasures.bury({ id: rowId(28_002), projectId, answer }, 0));
  await purgeDue();
  assert.equal(
    await models().archives.countDocuments({ projectId, endedAt: null }),
    0,
    'finishing an interrupted erasure ends the archive',
  );
  await assert.rejects(locate(before.id, 0), { code: 'gone' });

  const begun = await open();
  await purgeDue();
  assert.notEqual((await locate(begun.id, 0)).length, 0);
  assert.equal((await open({ resume: true })).id, begun.id);
  assert.ok(await erase(3));
  await assert.rejects(locate(begun.id, 0), { code: 'gone' }, 'another erasure ends it');
});

test('a clip that is erased while an archive is made is in no archive', async () => {
  const { open, erase, context, archives } = await clipsOf(23_000, undefined, 30);
  Object.assign(context, {
    archives: {
      ...archives,
      ready: async (...made: Parameters<typeof archives.ready>) => {
        await erase(3);
        return archives.ready(...made);
      },
    },
  });
  await assert.rejects(open(), { code: 'unavailable', message: /while it was exported/ });
  Object.assign(context, { archives });
  const next = await open({ resume: true });
  assert.equal(next.texts.length, 3);
});

test('an unreadable object ends its archive, and the next archive omits it; a readable object ends none', async () => {
  const { open, locate, report, broken, clip, bytesOf } = await clipsOf(24_000, undefined, 5);
  const begun = await open();
  const offset = (await bytesOf(begun)).indexOf(VIDEO) + 5;
  await report(begun.id, offset);
  await report(begun.id, 0);
  assert.notEqual((await locate(begun.id, offset)).length, 0, 'the reported object is readable');
  broken.add(clip(0).key);
  await report(begun.id, offset);
  await assert.rejects(locate(begun.id, offset), { code: 'gone' });
  const next = await open({ etag: begun.etag });
  assert.deepEqual(
    next.texts.map(({ name }) => name),
    ['project.json', 'submissions.csv', 'transcripts.txt', 'missing.txt'],
  );
});

test('an upload in an archive is kept until the archive can no longer be read', async () => {
  const { open, bytesOf, insert, clip, context, projectId, stored } = await clipsOf(26_000, undefined, 2);
  const key = `${projectId}/source`;
  const source = { key, size: VIDEO.length, mimeType: 'video/webm', sha256: '00', crc32: crc32(VIDEO) };
  const { _id, ...fields } = clip(5, { video: undefined, source, mediaStatus: 'processing', responseId: 'young' });
  stored.set(key, VIDEO);
  await insert([{ ...fields, _id, video: null }]);
  const begun = await open();
  const media = { video: { ...source, key: `${projectId}/5` }, audio: undefined, thumbnails: [source], durationSec: 1 };
  const recording = { ...context, jobs: { now: async () => new Date() }, erasures: createErasureStore(models()) };
  await recordMedia(
    recording as never,
    { projectId, submissionId: _id },
    { ...media, hasSound: false, problem: undefined },
  );
  assert.ok(stored.has(key), 'a download that started with the upload continues');
  assert.equal((await bytesOf(begun)).length, begun.size);
  assert.notEqual((await open()).etag, begun.etag, 'the next one has the video');
  await models().archives.updateMany({ projectId }, { $set: { expiresAt: new Date(0) } });
  await models().submissions.updateOne({ _id, projectId }, { $set: { sourceHeldUntil: new Date(0) } });
  await removeArchives(context as never);
  const row = await models().submissions.findOne({ _id, projectId }).lean();
  assert.deepEqual([stored.has(key), row?.source ?? undefined], [false, undefined]);
  assert.deepEqual(await models().archives.countDocuments({ projectId }), 0);
  assert.deepEqual(
    [...stored.keys()].filter(each => each.startsWith('exports/')),
    [],
  );
});

test('reading the last byte of an archive costs the same with many clips as with few', async () => {
  const many = await clipsOf(50_000, undefined, 450);
  const { archiveId, size } = await many.open().then(({ id, size }) => ({ archiveId: id, size }));
  const page = await models()
    .archivePages.find({ archiveId, offset: { $lte: size - 100_000 } })
    .sort({ offset: -1 })
    .limit(1)
    .explain('executionStats');
  assert.match(JSON.stringify(page), /"totalDocsExamined":1[,}]/);
});
