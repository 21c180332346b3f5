import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tusRequest } from '@recording-request/harness/tus';
import { uuidv7 } from '@recording-request/kit/ids';
import { until } from '@recording-request/testing/wait';
import { collectionsWith, harness, landed, list, prefixOf, store, versionsIn } from './erasable-clips.ts';
import { create, speech } from './test-service.ts';

const RESUMED = { limitMs: 60_000 };

async function clipToErase(note: string) {
  const project = await harness.project();
  const clip = await landed(project, 0, note);
  const { projectId, linkId } = clip;
  return { clip, project, link: { ownerId: harness.ownerId, projectId, linkId } };
}

type Link = Awaited<ReturnType<typeof clipToErase>>['link'];

const stateOf = async (link: Link) => (await harness.submissions.getLinkErasure(link)).erasure;
const ended = (link: Link) =>
  until(
    'the erasure of the link ends',
    async () => {
      const found = await stateOf(link);
      return found?.doneAt && found;
    },
    RESUMED,
  );

test('an erased link leaves nothing of its clips, notes and uploads, and its neighbour keeps everything', async () => {
  const { clip, project, link } = await clipToErase('a note on the link that goes');
  const stays = await landed(project, 1, 'a note on the link that stays');
  const { erasure, would, submissionIds } = await harness.submissions.getLinkErasure(link);
  assert.deepEqual([erasure, would!.submissions, would!.uploads, would!.notes], [undefined, 1, 1, 1]);
  assert.deepEqual(submissionIds, [clip.submissionId]);
  assert.ok(would!.objects > 0 && Number(would!.objectBytes) > 0);

  const done = (await harness.submissions.beginLinkErasure(link)).erasure!;
  assert.ok(done.doneAt && done.recordsEndAt);
  assert.deepEqual([done.erased!.submissions, done.erased!.objects], [1, would!.objects]);
  assert.deepEqual([done.erasedOfProject!.links, done.erasedOfProject!.responses], [1, 1]);
  assert.deepEqual(done.submissionIds, [clip.submissionId]);
  const { submissions, uploads, notes, objects, deadLetters } = done.left!;
  assert.deepEqual([submissions, uploads, notes, objects, deadLetters], [0, 0, 0, 0, 0]);
  assert.deepEqual([done.leftOfProject!.people, done.leftOfProject!.responses], [0, 0]);
  assert.deepEqual(await versionsIn(prefixOf(clip.projectId, clip.submissionId)), []);
  assert.deepEqual(await versionsIn(`uploads/${clip.uploadId}/`), []);
  assert.deepEqual(await collectionsWith('a note on the link that goes'), []);
  assert.deepEqual(
    (await list(clip.projectId)).map(({ submissionId, note }) => [submissionId, note]),
    [[stays.submissionId, 'a note on the link that stays']],
  );
  assert.deepEqual((await harness.submissions.beginLinkErasure(link)).erasure, done, 'a repeated call changes nothing');
  assert.equal(await stateOf({ ...link, ownerId: uuidv7() }), undefined);
  assert.equal(await stateOf({ ...link, projectId: uuidv7() }), undefined);
});

test('an upload that was begun, and a note without a clip, go with their link and cannot land', async () => {
  const { projectId, links } = await harness.project();
  const { linkId } = links[0]!;
  const link = { ownerId: harness.ownerId, projectId, linkId };
  const begun = await harness.begin(projectId, linkId);
  const { responseSessionId } = begun;
  const note = 'a note of a take';
  await harness.submissions.setResponseNote({ projectId, linkId, responseSessionId, questionIndex: undefined, note });
  const body = (await speech()).bytes;
  const half = body.subarray(0, body.length / 2);
  const { url, response } = await create(harness, begun, { length: body.length, body: half });
  assert.equal(response.status, 201);
  const [would, did] = [
    (await harness.submissions.getLinkErasure(link)).would!,
    (await harness.submissions.beginLinkErasure(link)).erasure!,
  ];
  assert.deepEqual([would.submissions, would.uploads, would.notes], [0, 1, 1]);
  assert.deepEqual([did.erased!.uploads, did.erased!.notes, did.left!.uploads, did.left!.notes], [1, 1, 0, 0]);
  const late = await tusRequest(
    url,
    'PATCH',
    { ...begun.headers, 'Upload-Offset': String(half.length) },
    body.subarray(half.length),
  );
  assert.ok([404, 410].includes(late.status), `the rest is refused, not with ${late.status}`);
  await assert.rejects(
    harness.submissions.setResponseNote({ projectId, linkId, responseSessionId, questionIndex: undefined, note }),
    { code: 'not_found' },
  );
  assert.deepEqual(await collectionsWith(note), []);
  assert.equal((await list(projectId)).length, 0);
});

test('what arrives after the first write of an erasure is refused, and the erasure ends without another request', async () => {
  const { projectId, links } = await harness.project();
  const { linkId } = links[0]!;
  const link = { ownerId: harness.ownerId, projectId, linkId };
  const begun = await harness.begin(projectId, linkId);
  const { responseSessionId } = begun;
  // The state after a kill of the process at its first write: the projects service does not know about the erasure.
  await store.begin(link, 60_000);
  const key = { projectId, linkId, responseSessionId, questionIndex: undefined };
  await assert.rejects(harness.submissions.setResponseNote({ ...key, note: 'a late note of a link' }), {
    code: 'not_found',
  });
  const body = (await speech()).bytes;
  const { response } = await create(harness, begun, { length: body.length, body });
  assert.equal(response.status, 404);
  assert.deepEqual(await collectionsWith('a late note of a link'), []);
  await store.projectPurged(linkId, new Date());
  const done = await ended(link);
  assert.deepEqual([done.erasedOfProject!.links, done.left!.submissions, done.left!.uploads], [1, 0, 0]);
  await assert.rejects(harness.begin(projectId, linkId), { code: 'gone' });
});

test('a take whose last byte arrives after the first write of an erasure becomes a tombstone', async () => {
  const { projectId, links } = await harness.project();
  const { linkId } = links[0]!;
  const begun = await harness.begin(projectId, linkId);
  const body = (await speech()).bytes;
  const half = body.subarray(0, body.length / 2);
  const { url } = await create(harness, begun, { length: body.length, body: half });
  await store.begin({ ownerId: harness.ownerId, projectId, linkId }, 3_600_000);
  const late = await tusRequest(
    url,
    'PATCH',
    { ...begun.headers, 'Upload-Offset': String(half.length) },
    body.subarray(half.length),
  );
  assert.ok([404, 410, 422].includes(late.status), `refused, not with ${late.status}`);
  const landings = await harness.landed.find({ projectId }).toArray();
  assert.deepEqual(
    landings.map(each => 'erasedAt' in each),
    [true],
  );
  assert.equal((await list(projectId)).length, 0);
  assert.deepEqual(await versionsIn(`submissions/${projectId}/`), []);
});

test('an erasure whose process stopped after a tombstone removes the files of that clip before it ends', async () => {
  const { clip, link } = await clipToErase('a note that a stop left');
  const { submissionId } = clip;
  await store.begin(link, 60_000);
  await store.addSubmissions(link.linkId, [submissionId]);
  assert.ok(await store.bury((await store.find(submissionId))!, 3_600_000));
  assert.notDeepEqual(await versionsIn(prefixOf(clip.projectId, submissionId)), []);
  await store.projectPurged(link.linkId, new Date());
  const done = await ended(link);
  assert.deepEqual(done.submissionIds, [submissionId]);
  assert.deepEqual([done.left!.objects, done.left!.uploads, done.left!.notes], [0, 0, 0]);
  assert.deepEqual(await versionsIn(prefixOf(clip.projectId, submissionId)), []);
  assert.deepEqual(await versionsIn(`uploads/${clip.uploadId}/`), []);
  assert.deepEqual(await collectionsWith('a note that a stop left'), []);
});

test('the operator erases the same, counts before, and proves it with a second call', async () => {
  const { link, clip } = await clipToErase('a note for the operator');
  const call = (dryRun: boolean) => harness.operator.eraseLink({ ...link, dryRun });
  const would = await call(true);
  assert.deepEqual([would.erased!.submissions, would.erasedOfProject!.links, would.done], [1, 1, true]);
  assert.deepEqual([would.submissionIds, would.erasedBeforeAt], [[clip.submissionId], undefined]);
  const did = await call(false);
  assert.deepEqual([did.erased, did.erasedOfProject, did.done], [would.erased, would.erasedOfProject, true]);
  for (const dryRun of [true, false]) {
    const again = await call(dryRun);
    assert.ok(again.erasedBeforeAt && again.done);
    assert.deepEqual(again.submissionIds, [clip.submissionId]);
    const { submissions, uploads, notes, objects } = again.erased!;
    assert.deepEqual([submissions, uploads, notes, objects, again.erasedOfProject!.links], [0, 0, 0, 0, 0]);
  }
  for (const unknown of [{ linkId: uuidv7() }, { ownerId: uuidv7() }, { projectId: uuidv7() }])
    await assert.rejects(harness.operator.eraseLink({ ...link, ...unknown, dryRun: false }), { code: 'not_found' });
  assert.equal((await stateOf(link))!.erased!.submissions, 1, 'the owner sees it too');
});
