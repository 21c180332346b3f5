import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { OutageError } from '@recording-request/events/job-claims';
import type { Kafka } from '@recording-request/events/kafka';
import { makeNotAClip } from '@recording-request/fixtures/not-a-clip';
import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import { createLogger } from '@recording-request/kit/log';
import type { Objects } from '@recording-request/kit-objects/objects';
import type { ClientOf } from '@recording-request/kit-rpc/grpc-client';
import type { GrpcServer } from '@recording-request/kit-rpc/grpc-server';
import type { Event, MediaProcessed, StoredObject } from '@recording-request/proto/events/v1/events';
import { type MediaServiceServer, MediaServiceService } from '@recording-request/proto/media/v1/media';
import type { MediaJob } from '@recording-request/proto/work/v1/work';
import { CLIPS, type TestClip, testClip } from '@recording-request/testing/clip';
import { type EventInbox, openInbox } from '@recording-request/testing/event-inbox';
import { fakeWork, startFakeServices } from '@recording-request/testing/fake-services';
import { startTestService, type TestService } from '@recording-request/testing/test-service';
import { openJobDirectories } from '../src/adapters/job-directory.ts';
import { type Config, readConfig } from '../src/config.ts';
import { type MediaService, startService } from '../src/service.ts';
import { type ProcessClipDeps, processClip } from '../src/workflows/process-clip.ts';
import { sandbox } from './sandbox.ts';

const log = createLogger('media', 'silent');
let media: TestService<Config, MediaService>;
const work = fakeWork();
let submissions: GrpcServer;
let objects: Objects;
let kafka: Kafka;
let inbox: EventInbox;
let client: ClientOf<MediaServiceServer>;
let clip: TestClip;

before(async () => {
  submissions = await startFakeServices([work]);
  media = await startTestService({
    name: 'media',
    readConfig,
    startService,
    log,
    env: { SUBMISSIONS_GRPC: submissions.address },
  });
  objects = media.stores.objects();
  kafka = await media.stores.kafka();
  inbox = await openInbox(kafka, 'media.events');
  client = media.client<MediaServiceServer>(MediaServiceService);
  clip = await testClip({ container: 'webm', text: 'Hello, this is my answer.' });
});
after(async () => {
  await media?.[Symbol.asyncDispose]();
  await submissions?.close(0);
});

async function upload(path: string): Promise<MediaJob> {
  const [projectId, submissionId] = [uuidv7(), uuidv7()];
  const sourceKey = `submissions/${projectId}/${submissionId}/source`;
  await objects.put(sourceKey, await readFile(path), { contentType: 'application/octet-stream' });
  return { projectId, submissionId, sourceKey };
}

const request = (value: MediaJob) => work.give(kafka, { $case: 'media', value });

const answerOf = (submissionId: string, from = 0) =>
  inbox.first(event => inbox.events.indexOf(event) >= from && payloadOf(event).submissionId === submissionId);
const payloadOf = (event: Event) => event.payload!.value as MediaProcessed & { reason: string; clipAtFault: boolean };

const withCode = (code: string) => (error: unknown) => error instanceof DomainError && error.code === code;

async function assertStored(stored: StoredObject | undefined, key: string, mimeType: string): Promise<void> {
  const bytes = await buffer(await objects.get(key));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  assert.deepEqual(stored, { key, size: bytes.length, mimeType, sha256, crc32: crc32(bytes) });
}

test('Inspect returns the properties of an object', async () => {
  const { sourceKey } = await upload(clip.path);
  const { inspection } = await client.inspect({ objectKey: sourceKey });
  assert.equal(inspection?.container, 'webm');
  assert.equal(inspection.hasAudio, true);
  assert.deepEqual([inspection.videoCodec, inspection.audioCodec], ['vp8', 'opus']);
  assert.deepEqual([inspection.width, inspection.height], [640, 360]);
  assert.ok(Math.abs(inspection.durationSec - clip.durationSec) < 0.2);
  assert.equal(inspection.keyFrames.length, Math.ceil(clip.durationSec / 2));
});

test('Inspect refuses a file that is not a video with a sentence for the contributor, and a missing object', async () => {
  const { sourceKey } = await upload(await makeNotAClip(CLIPS, 'html'));
  await assert.rejects(client.inspect({ objectKey: sourceKey }), (error: Error) => {
    assert.match(error.message, /not a video that we can play/);
    return withCode('unprocessable')(error);
  });
  await assert.rejects(client.inspect({ objectKey: `submissions/${randomUUID()}` }), withCode('not_found'));
  await assert.rejects(client.inspect({ objectKey: '' }), withCode('invalid'));
  await assert.rejects(client.inspect({ objectKey: sourceKey }, { signal: AbortSignal.timeout(1) }));
});

test('a job stores a seekable video, sound and thumbnails, and its event describes them', async () => {
  const value = await upload(clip.path);
  const { inspection } = await client.inspect({ objectKey: value.sourceKey });
  await request({ ...value, inspection });
  const event = await answerOf(value.submissionId);
  assert.equal(event.type, 'media.processed');
  const made = payloadOf(event);
  const prefix = `submissions/${value.projectId}/${value.submissionId}/`;
  await assertStored(made.video, `${prefix}video.webm`, 'video/webm');
  await assertStored(made.audio, `${prefix}audio.m4a`, 'audio/mp4');
  assert.equal(made.thumbnails.length, 3);
  for (const [at, name] of ['start', 'middle', 'end'].entries())
    await assertStored(made.thumbnails[at], `${prefix}thumbnail-${name}.jpg`, 'image/jpeg');
  assert.ok(Math.abs(made.inspection!.durationSec - clip.durationSec) < 0.2);
  assert.ok(await objects.stat(value.sourceKey), 'the upload is not media’s to delete');
});

test('a clip takes five child processes from landing to processed, and one more for each thumbnail that needs a seek', async () => {
  let started: ChildProcess[] = [];
  const note = (message: unknown) => void started.push((message as { process: ChildProcess }).process);
  const programOf = ({ spawnargs }: ChildProcess) => spawnargs.find(one => /^ff(mpeg|probe)$/.test(one));
  const startedFor = async ({ path }: TestClip) => {
    const value = await upload(path);
    started = [];
    const { inspection } = await client.inspect({ objectKey: value.sourceKey });
    await request({ ...value, inspection });
    assert.equal((await answerOf(value.submissionId)).type, 'media.processed');
    return started.map(programOf).toSorted();
  };
  const [keyFrames, oneKeyFrame] = await Promise.all([
    testClip({ container: 'webm', seconds: 9, text: 'Hello.' }),
    testClip({ container: 'webm', seconds: 9, keyFrameSec: 100, text: 'Hello.' }),
  ]);
  subscribe('child_process', note);
  try {
    const each = ['ffmpeg', 'ffprobe', 'ffprobe', 'ffprobe', 'ffprobe'];
    assert.deepEqual(await startedFor(keyFrames), each);
    assert.deepEqual(await startedFor(oneKeyFrame), ['ffmpeg', 'ffmpeg', ...each]);
  } finally {
    unsubscribe('child_process', note);
  }
});

test('many inspections of one owner or link wait for each other and do not delay others', async () => {
  const [{ sourceKey: objectKey }, path] = [await upload(clip.path), { ownerId: 'crowd', linkId: 'crowd' }];
  let ended = 0;
  const crowd = Array.from({ length: 24 }, async () => {
    await client.inspect({ objectKey, ...path }, { deadlineMs: 100_000 });
    ended += 1;
  });
  const first = Promise.any(crowd);
  await first;
  const before = ended;
  await client.inspect({ objectKey, ownerId: 'newcomer', linkId: 'its link' }, { deadlineMs: 100_000 });
  await client.inspect({ objectKey, ownerId: 'crowd', linkId: 'another link' }, { deadlineMs: 100_000 });
  assert.ok(ended - before <= 8, `${ended - before} of the crowd were inspected before two others`);
  await Promise.all(crowd);
});

test('an inspection without a slot in half of its time fails with too_many', async () => {
  const { sourceKey: objectKey } = await upload(clip.path);
  const path = { ownerId: 'impatient', linkId: 'link' };
  let refused = false;
  const crowd = Array.from({ length: 40 }, async () => {
    // On a busy machine, the service refuses some of the other requests too.
    while (!refused)
      await client.inspect({ objectKey, ...path }, { deadlineMs: 100_000 }).catch((error: unknown) => {
        if (!withCode('too_many')(error)) throw error;
      });
  });
  const late = client.inspect({ objectKey, ...path }, { deadlineMs: 1_500 });
  await assert.rejects(late, withCode('too_many')).finally(() => {
    refused = true;
  });
  await Promise.all(crowd);
});

test('a job without an inspection inspects the clip first; a clip without sound has no audio', async () => {
  const silent = await testClip({ container: 'mp4', audio: 'none', seconds: 3 });
  const value = await upload(silent.path);
  await request(value);
  const made = payloadOf(await answerOf(value.submissionId));
  assert.equal(made.video?.mimeType, 'video/mp4');
  assert.equal(made.audio, undefined);
  assert.equal(made.thumbnails.length, 3);
});

test('a repeated job gives the same answer', async () => {
  const value = await upload(clip.path);
  await request(value);
  const first = await answerOf(value.submissionId);
  const from = inbox.events.indexOf(first) + 1;
  await request(value);
  const second = await answerOf(value.submissionId, from);
  assert.deepEqual(second.payload, first.payload);
});

test('a late repetition after the deletion of the upload is dropped', async () => {
  const value = await upload(clip.path);
  await request(value);
  const from = inbox.events.indexOf(await answerOf(value.submissionId)) + 1;
  await objects.remove([value.sourceKey]);
  await request(value);
  // The service has one slot, so when it answers the next job, the late job has ended.
  const other = await upload(clip.path);
  await request({ ...value, sourceKey: other.sourceKey });
  const answer = await answerOf(value.submissionId, from);
  assert.equal(answer.type, 'media.processed');
  assert.equal(inbox.events.filter(one => payloadOf(one).submissionId === value.submissionId).length, 2);
});

test('an unusable clip fails with a sentence for the owner', async () => {
  const noVideo = await upload(await makeNotAClip(CLIPS, 'noise'));
  await request(noVideo);
  const failed = await answerOf(noVideo.submissionId);
  assert.equal(failed.type, 'media.failed');
  assert.match(payloadOf(failed).reason, /^The upload is not a video that can be played; it is kept as it came\.$/);
  assert.equal(payloadOf(failed).clipAtFault, true);
  const gone: MediaJob = { projectId: uuidv7(), submissionId: uuidv7(), sourceKey: 'submissions/none/source' };
  await request(gone);
  const lost = payloadOf(await answerOf(gone.submissionId));
  assert.match(lost.reason, /no longer stored/);
  assert.equal(lost.clipAtFault, false);
});

test('a store that is down fails no clip: the job is retried', async () => {
  const value = await upload(clip.path);
  const published: Event[] = [];
  const jobs = await openJobDirectories(tmpdir(), 60_000);
  const deps = {
    jobs,
    sandbox,
    config: { jobSeconds: 60, sourceMaxBytes: 1e9 },
    objects,
    kafka: { publish: async (event: Event) => void published.push(event) },
  };
  const small = { ...deps.config, sourceMaxBytes: 10 };
  const delivery = { signal: AbortSignal.timeout(60_000), log };
  const down = async () => {
    throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  };
  const process = (parts: Partial<ProcessClipDeps>) => processClip({ ...deps, ...parts }, value, delivery);
  const attempt = (broken: Partial<Objects>) => process({ objects: { ...objects, ...broken } });
  await assert.rejects(attempt({ get: down }), OutageError);
  await assert.rejects(attempt({ put: down }), OutageError);
  assert.deepEqual(published, []);
  await attempt({});
  assert.deepEqual(
    published.map(({ type }) => type),
    ['media.processed'],
  );
  await assert.rejects(
    process({ config: small, kafka: { publish: down } }),
    OutageError,
    'the job is retried when a broker is down',
  );
  await process({ config: small });
  assert.match(payloadOf(published.at(-1)!).reason, /too large/);
});
