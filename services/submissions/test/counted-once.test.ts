import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { loadConfig } from '@recording-request/kit/config';
import { uuidv7 } from '@recording-request/kit/ids';
import type { Connection } from '@recording-request/kit-mongo/mongo';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import { testEnvironment } from '@recording-request/testing/environment';
import { startMeasured } from '@recording-request/testing/measured';
import { onMediaFailed, onMediaProcessed, onTranscriptEnded } from '../src/domain/clips/submission-changes.ts';
import { landed, object } from './landed-submission.ts';

const measured = startMeasured();
const { connectMongo } = await import('@recording-request/kit-mongo/mongo');
const { testStores } = await import('@recording-request/testing/test-stores');
const { migrate } = await import('../src/migrate.ts');
const { openStores } = await import('../src/store/store.ts');
const environment = testEnvironment();
const servers = testStores(environment);
let connection: Connection;
before(async () => {
  connection = await connectMongo(loadConfig(environment.env, mongoVariables), 'submissions');
  await migrate(environment.env, () => {});
});
after(async () => {
  await connection.close();
  await servers[Symbol.asyncDispose]();
  await measured[Symbol.asyncDispose]();
});

test('the delays and jobs of a clip are counted once, even when its landing and its events come twice', async () => {
  const { submissions } = await openStores(connection);
  const clip = landed({ id: uuidv7() });
  const key = { projectId: clip.projectId, submissionId: clip.id };
  const media = {
    ...{ video: object('video'), audio: object('audio'), thumbnails: [object('thumbnail')] },
    ...{ durationSec: 3, hasSound: true, problem: undefined },
  };
  const heard = { text: 'words', vtt: 'WEBVTT' };
  for (let time = 0; time < 2; time++) {
    assert.ok(await submissions.land(clip, []));
    await submissions.change(key, before => onMediaProcessed(before, media, new Date()));
    await submissions.change(key, before => onTranscriptEnded(before, before.transcriptRequest, heard));
  }
  const ok = { 'recording.outcome': 'ok' };
  for (const name of ['recording.media.delay', 'recording.transcript.delay']) {
    const series = await measured.seriesOf(name);
    assert.deepEqual(
      series.map(({ attributes, value }) => ({ attributes, value })),
      [{ attributes: ok, value: 1 }],
      name,
    );
  }
  assert.deepEqual(await measured.seriesOf('recording.jobs.created'), [
    { attributes: { 'recording.job.kind': 'media' }, value: 1 },
    { attributes: { 'recording.job.kind': 'transcript' }, value: 1 },
  ]);
});

test('each failure is counted once, with its step and its fault; the series begin at 0', async () => {
  const { submissions } = await openStores(connection);
  const counts = async () =>
    Object.fromEntries(
      (await measured.seriesOf('recording.clips.failed')).map(({ attributes, value }) => [
        `${attributes['recording.step']} ${attributes['recording.fault']}`,
        value,
      ]),
    );
  assert.deepEqual(await counts(), {
    'media clip': 0,
    'media service': 0,
    'transcript clip': 0,
    'transcript service': 0,
  });
  const outcomes = async () =>
    (await measured.seriesOf('recording.media.delay')).map(({ attributes }) => attributes['recording.outcome']);
  const land = async (fields = {}) => {
    const clip = landed({ id: uuidv7(), responseId: uuidv7(), ...fields });
    assert.ok(await submissions.land(clip, []));
    return { projectId: clip.projectId, submissionId: clip.id };
  };
  const clips = [await land(), await land({ mediaStatus: 'ready', transcriptRequest: 2 })] as const;
  for (let time = 0; time < 2; time++) {
    await submissions.change(clips[0], before => onMediaFailed(before, 'It is damaged.', 'clip'));
    await submissions.change(clips[1], before =>
      onTranscriptEnded(before, 2, { reason: 'Not in several tries.', fault: 'service' }),
    );
  }
  assert.deepEqual(await counts(), {
    'media clip': 1,
    'media service': 0,
    'transcript clip': 0,
    'transcript service': 1,
  });
  assert.ok((await outcomes()).includes('unusable') && !(await outcomes()).includes('failed'));
});
