import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { run } from '@recording-request/fixtures/run';
import { seekableCipher } from '@recording-request/kit/seekable-cipher';
import {
  type ArchivePiece,
  type ExportsServiceServer,
  ExportsServiceService,
} from '@recording-request/proto/exports/v1/exports';
import { MediaKind, MediaStatus } from '@recording-request/proto/submissions/v1/submissions';
import { type SecondStore, startSecondStore } from '@recording-request/stack/second-store';
import { CLIPS, testClip } from '@recording-request/testing/clip';
import { until } from '@recording-request/testing/wait';
import { send, startTestSubmissions, type TestSubmissions } from './test-service.ts';

const MiB = 1024 ** 2;
let store: SecondStore;
let harness: TestSubmissions;
before(async () => {
  store = await startSecondStore();
  harness = await startTestSubmissions({ UPLOAD_PART_BYTES: String(6 * MiB), ...store.env });
});
after(async () => {
  await harness?.[Symbol.asyncDispose]();
  await store?.[Symbol.asyncDispose]();
});

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
/** Returns an MP4 box that players skip. With it, parts are large enough for the store to copy them. */
function skipped(bytes: number): Buffer {
  const box = Buffer.alloc(bytes);
  box.writeUInt32BE(bytes, 0);
  box.write('free', 4, 'latin1');
  return box;
}

test('on a store other than MinIO a take lands, is processed, is read back and is exported', async () => {
  const clip = await testClip({ container: 'mp4', mp4: 'moov-at-end', text: 'hello from another store' });
  const body = Buffer.concat([clip.bytes, skipped(9 * MiB)]);
  const { projectId, links } = await harness.project();
  const begun = await harness.begin(projectId, links[0]!.linkId);
  const { submissionId } = await send(harness, begun, body, 7 * MiB);
  const key = { ownerId: harness.ownerId, projectId, submissionId };
  const { submission } = await harness.submissions.getSubmission(key);
  assert.equal(submission!.sha256, sha256(body), 'the landed bytes are the sent bytes');

  await until('the clip is processed', async () => {
    const now = (await harness.submissions.getSubmission(key)).submission!;
    assert.notEqual(now.mediaStatus, MediaStatus.MEDIA_STATUS_FAILED, now.mediaError ?? 'the clip failed');
    return now.mediaStatus === MediaStatus.MEDIA_STATUS_READY;
  });
  const kinds = [
    MediaKind.MEDIA_KIND_VIDEO,
    MediaKind.MEDIA_KIND_AUDIO,
    MediaKind.MEDIA_KIND_THUMBNAIL_START,
    MediaKind.MEDIA_KIND_THUMBNAIL_MIDDLE,
    MediaKind.MEDIA_KIND_THUMBNAIL_END,
  ];
  for (const kind of kinds) {
    const { url, size, etag } = await harness.submissions.getMedia({ ...key, kind });
    const whole = new Uint8Array(await (await fetch(url)).arrayBuffer());
    assert.deepEqual([whole.length, `"${sha256(whole)}"`], [size, etag]);
    const part = await fetch(url, { headers: { range: `bytes=${size - 5}-${size - 1}` } });
    assert.equal(part.status, 206);
    assert.deepEqual(new Uint8Array(await part.arrayBuffer()), whole.subarray(-5));
  }
  const short = await harness.submissions.getMedia({ ...key, kind: MediaKind.MEDIA_KIND_VIDEO, urlSeconds: 7 });
  assert.equal(new URL(short.url).searchParams.get('X-Amz-Expires'), '7');
  const expected = ['audio.m4a', 'thumbnail-end.jpg', 'thumbnail-middle.jpg', 'thumbnail-start.jpg', 'video.mp4'];
  await until(`parts and the upload as it came are gone, ${expected} are there`, async () => {
    const objects = await Array.fromAsync(harness.objects.list(''));
    return isDeepStrictEqual(objects.map(object => object.key.split('/').at(-1)).sort(), expected);
  });

  const path = join(CLIPS, `${submissionId}.zip`);
  await writeFile(path, await exported(projectId));
  const video = await harness.submissions.getMedia({ ...key, kind: MediaKind.MEDIA_KIND_VIDEO });
  const inside = JSON.parse(await run('python3', ['-c', LOOK, path])) as Record<string, string>;
  assert.equal(`"${inside[`videos/0001-${submissionId}.mp4`]}"`, video.etag, 'the ZIP has the stored video');
  assert.deepEqual(Object.keys(inside).length, 4);
});

const LOOK = `
import hashlib, json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    json.dump({name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}, sys.stdout)
`;

async function exported(projectId: string): Promise<Buffer> {
  const client = harness.client<ExportsServiceServer>(ExportsServiceService);
  try {
    const key = { ownerId: harness.ownerId, projectId };
    const begun = { filter: undefined, includeLinks: true, etag: '', resume: false };
    const { archiveId, size } = await client.openArchive({ ...key, ...begun });
    const pieces: Buffer[] = [];
    for (let offset = 0; offset < size; offset = Buffer.concat(pieces).length) {
      const located = await client.locateArchive({ ...key, archiveId, offset, maxPieces: 32 });
      for (const piece of located.pieces) pieces.push(await bytesOf(piece));
    }
    return Buffer.concat(pieces);
  } finally {
    client.close();
  }
}

async function bytesOf({ source }: ArchivePiece): Promise<Buffer> {
  if (source?.$case !== 'object') return Buffer.from(source!.value);
  const { url, offset, length, cipherKey } = source.value;
  const response = await fetch(url, { headers: { range: `bytes=${offset}-${offset + length - 1}` } });
  assert.equal(response.status, 206);
  const bytes = Buffer.from(await response.arrayBuffer());
  return cipherKey?.length ? seekableCipher(cipherKey, offset)(bytes) : bytes;
}
