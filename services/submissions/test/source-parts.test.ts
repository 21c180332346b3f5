import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { BACKUP_LEASE } from '@recording-request/contract/backup-lease';
import { tusRequest } from '@recording-request/harness/tus';
import { createLease, takeLease } from '@recording-request/kit-mongo/lease';
import {
  type ExportsServiceServer,
  ExportsServiceService,
  type OpenArchiveRequest,
} from '@recording-request/proto/exports/v1/exports';
import { MediaKind } from '@recording-request/proto/submissions/v1/submissions';
import { until } from '@recording-request/testing/wait';
import { landUpload } from '../src/workflows/uploads/land-upload.ts';
import { begun, finishing, harness, keyOf, keysIn, otherProcess, submissionsOf } from './takes.ts';
import { create, speech } from './test-service.ts';

/** Makes a clip that is kept as its upload, in parts: the media is made, and is then recorded as failed. */
async function keptInParts(count = 4) {
  const response = await begun();
  const { bytes } = await speech();
  const { url, id } = await create(harness, response, { length: bytes.length });
  // A running backup keeps the upload in addition to the video.
  await using backup = await takeLease(createLease(harness.connection, BACKUP_LEASE, 30_000));
  assert.ok(backup);
  const partBytes = Math.ceil(bytes.length / count);
  for (let offset = 0; offset < bytes.length; offset += partBytes) {
    const headers = { ...response.headers, 'Upload-Offset': String(offset) };
    const answer = await tusRequest(url, 'PATCH', headers, bytes.subarray(offset, offset + partBytes));
    assert.ok(answer.ok, `${answer.status} ${await answer.text()}`);
  }
  const row = await until('its media is made', async () => {
    const found = await harness.landed.findOne({ projectId: response.projectId });
    return found?.mediaStatus === 'ready' && found.sourceHeldUntil ? found : undefined;
  });
  await harness.landed.updateOne(
    { _id: row._id },
    { $unset: { video: 1, sourceHeldUntil: 1 }, $set: { mediaStatus: 'failed' } },
  );
  return { projectId: response.projectId, submissionId: row._id, uploadId: id, bytes };
}

const key = (projectId: string) => ({ ownerId: harness.ownerId, projectId });
const check = async (deep: boolean) => {
  const findings = [];
  for (let cursor = ''; ; ) {
    const answer = await harness.operator.checkStore({ cursor, deep, deleteOrphans: false, orphanAgeSeconds: 0 });
    findings.push(...answer.findings.map(({ kind, key }) => ({ kind, key })));
    if (answer.nextCursor === '') return findings;
    cursor = answer.nextCursor;
  }
};

test('a clip that is kept as its upload is read in parts, alone and in project.zip, and erased with them', async () => {
  const { projectId, submissionId, uploadId, bytes } = await keptInParts();
  const request = { ...key(projectId), submissionId, kind: MediaKind.MEDIA_KIND_VIDEO };
  const media = await harness.submissions.getMedia(request);
  assert.deepEqual([media.url, media.size, media.parts?.parts.length], ['', bytes.length, 4]);
  const read = async (url: string) => {
    const response = await fetch(url);
    assert.equal(response.status, 200);
    return Buffer.from(await response.arrayBuffer());
  };
  const parts = await Promise.all(media.parts!.parts.map(({ url }) => read(url)));
  assert.deepEqual(Buffer.concat(parts), bytes);
  const offset = parts[0]!.length + 5;
  const rest = await harness.submissions.getMedia({ ...request, offset });
  assert.deepEqual([rest.parts?.offset, rest.parts?.parts.length], [parts[0]!.length, 3]);

  const exports = harness.client<ExportsServiceServer>(ExportsServiceService);
  const open: OpenArchiveRequest = {
    ...key(projectId),
    filter: undefined,
    includeLinks: false,
    etag: '',
    resume: false,
  } as never;
  const { archiveId, size } = await exports.openArchive(open);
  const pieces: Buffer[] = [];
  for (let at = 0; at < size; at = Buffer.concat(pieces).length) {
    const located = await exports.locateArchive({ ...key(projectId), archiveId, offset: at, maxPieces: 3 });
    assert.ok(located.pieces.length > 0);
    for (const { source } of located.pieces) {
      if (source?.$case === 'content') pieces.push(Buffer.from(source.value));
      else if (source)
        pieces.push(
          (await read(source.value.url)).subarray(source.value.offset, source.value.offset + source.value.length),
        );
    }
  }
  assert.ok(Buffer.concat(pieces).includes(bytes), 'the archive has the uploaded bytes');

  assert.deepEqual(await check(true), [], 'every part has a record and its bytes');
  await harness.operator.eraseSubmission({ submissionId, dryRun: false });
  assert.deepEqual(await keysIn(`uploads/${uploadId}/`), []);
});

test('a check finds a missing part, and a part with changed bytes', async () => {
  const { submissionId, uploadId } = await keptInParts();
  const prefix = `uploads/${uploadId}/`;
  const [first, second] = (await keysIn(prefix)).map(name => prefix + name);
  const body = await buffer(await harness.objects.get(first!));
  const type = { contentType: 'application/octet-stream' };
  await harness.objects.put(first!, Buffer.alloc(body.length), type);
  const kinds = (found: { kind: number; key: string }[]) => found.map(each => [each.kind, each.key]);
  assert.deepEqual((await check(false)).length, 0, 'its size is correct');
  const [changed, ...others] = kinds(await check(true));
  assert.deepEqual([changed?.[1], others], [prefix, []]);
  await harness.objects.remove([second!]);
  assert.deepEqual(
    (await check(false)).map(each => each.key),
    [second],
  );
  await harness.operator.eraseSubmission({ submissionId, dryRun: false });
});

test('a take is not delivered when the store has lost some of its bytes', async () => {
  const { projectId, id } = await finishing();
  const [lost] = await keysIn(`uploads/${id}/`);
  const upload = await harness.uploads.findOne({ _id: id });
  const { bytes } = await speech();
  const sums = { sha256: createHash('sha256').update(bytes).digest('hex'), crc32: 1 };
  await harness.objects.remove([`uploads/${id}/${lost}`]);
  // The checksums are already known, so no step reads all bytes.
  const uploadChecksums = { ...(await otherProcess()).uploadChecksums, read: () => sums };
  await assert.rejects(
    landUpload(await otherProcess({ uploadChecksums }), await keyOf(id)),
    /does not have every byte/,
  );
  assert.deepEqual(await submissionsOf(projectId), []);
  assert.equal(upload?.state, 'finishing');
});

test('a delivered take that is marked as refused keeps its parts when its hold ends', async () => {
  const { projectId, id } = await finishing();
  const asleep = await otherProcess({ media: { ...harness.media, inspect: async () => ({ inspection: undefined }) } });
  asleep.uploads.land = () => Promise.reject(new Error('the process has died'));
  await assert.rejects(landUpload(asleep, await keyOf(id)), /has died/);
  await harness.uploads.updateOne(
    { _id: id },
    { $set: { state: 'refused', refusal: 'not_video', lastByteAt: new Date(0) } },
  );
  await until('it counts as landed', async () => (await harness.uploads.findOne({ _id: id }))?.state === 'landed');
  const isReady = async () => (await submissionsOf(projectId))[0]?.mediaStatus === 2;
  await until('its media is made from the parts', isReady);
});

test('a take whose record lacks parts is not delivered', async () => {
  const { projectId, id } = await finishing();
  const { uploads } = await otherProcess();
  const partsOf: typeof uploads.partsOf = async function* (key) {
    for await (const parts of uploads.partsOf(key)) yield parts.slice(0, -1);
  };
  await assert.rejects(
    landUpload(await otherProcess({ uploads: { ...uploads, partsOf } }), await keyOf(id)),
    /has parts of/,
  );
  assert.deepEqual(await submissionsOf(projectId), []);
  assert.ok(!(await harness.uploads.findOne({ _id: id }))?.sha256, 'the record has no checksum');
});
