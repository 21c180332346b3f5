import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BACKUP_LEASE } from '@recording-request/contract/backup-lease';
import { createLease, takeLease } from '@recording-request/kit-mongo/lease';
import { until } from '@recording-request/testing/wait';
import { begun, harness } from './takes.ts';
import { send, speech } from './test-service.ts';

const DAMAGED = 'The clip is damaged.';
const HOUR_MS = 3_600_000;

type Fields = Record<string, unknown>;

/** Makes a clip with media, then replaces the media's result with `fields`. The upload is kept. */
async function lacking(fields: Fields, removed: Fields = {}) {
  const response = await begun();
  let id = '';
  {
    // A running backup keeps the upload in addition to the video.
    await using backup = await takeLease(createLease(harness.connection, BACKUP_LEASE, 30_000));
    assert.ok(backup);
    id = (await send(harness, response, (await speech()).bytes)).submissionId;
    await until('its media is made', async () => {
      const row = await harness.landed.findOne({ _id: id });
      return row?.mediaStatus === 'ready' && row.sourceHeldUntil;
    });
    const made = { video: 1, audio: 1, sourceHeldUntil: 1, ...removed };
    await harness.landed.updateOne({ _id: id }, { $unset: made as never, $set: { thumbnails: [], ...fields } });
  }
  return { ownerId: harness.ownerId, projectId: response.projectId, submissionId: id };
}

const rowOf = async ({ submissionId }: { submissionId: string }) =>
  (await harness.landed.findOne({ _id: submissionId })) as Fields | null;
const isMade = async (key: { submissionId: string }) => {
  const row = await rowOf(key);
  return row?.mediaStatus === 'ready' && (row.thumbnails as unknown[]).length === 3 && row.audio && row.video;
};
const asMediaFailed = { mediaStatus: 'failed', mediaError: DAMAGED };

test('an owner has failed media and its failed transcript made again; a second request is a conflict', async () => {
  const key = await lacking({ ...asMediaFailed, transcriptStatus: 'failed', transcriptError: DAMAGED });
  const { submission } = await harness.submissions.requestMedia(key);
  assert.deepEqual([submission!.mediaError, submission!.transcriptError], [undefined, undefined]);
  await until('it is made', () => isMade(key));
  const { job } = (await rowOf(key)) as { job?: { kind: string } };
  assert.equal(job?.kind, 'transcript');
  await assert.rejects(harness.submissions.requestMedia(key), { code: 'conflict', reason: 'media_not_failed' });
  await assert.rejects(harness.submissions.requestMedia({ ...key, ownerId: await harness.newOwner() }), {
    code: 'not_found',
  });
});

test('an operator has the media of a time range made again: only the selected clips, once, after a dry run', async () => {
  const since = new Date();
  const failed = await lacking(asMediaFailed);
  const without = await lacking({ mediaStatus: 'ready', mediaError: 'A copy would lose a track.' });
  const gone = await lacking(asMediaFailed, { source: 1 });
  const range = { from: new Date(since.getTime() - 1), to: new Date(Date.now() + 1) };
  const ask = async (options: object) => {
    const request = { ...range, failed: true, withError: true, dryRun: false, cursor: '', ...options };
    const { clips, nextCursor } = await harness.operator.retryMedia(request);
    assert.equal(nextCursor, '');
    return clips.map(({ submissionId, left }) => [submissionId, left]);
  };
  const notKept = 'The media cannot be made again: the upload of this clip is not kept.';
  const everything = [
    [failed.submissionId, ''],
    [without.submissionId, ''],
    [gone.submissionId, notKept],
  ];
  assert.deepEqual(await ask({ dryRun: true }), everything);
  assert.equal((await rowOf(failed))?.mediaStatus, 'failed', 'a dry run changes nothing');
  assert.deepEqual(await ask({ to: range.from, from: new Date(range.from.getTime() - HOUR_MS) }), []);
  assert.deepEqual(await ask({ failed: false }), [[without.submissionId, '']]);
  await until('it is made', () => isMade(without));
  assert.deepEqual(await ask({}), [everything[0], everything[2]]);
  assert.deepEqual(await ask({ cursor: failed.submissionId }), [everything[2]], 'the cursor continues after its clip');
  await until('it is made', () => isMade(failed));
  assert.deepEqual(await ask({}), [everything[2]]);
  for (const wrong of [{ to: range.from }, { failed: false, withError: false }, { cursor: 'x' }, { from: undefined }])
    await assert.rejects(ask(wrong), { code: 'invalid' });
});
