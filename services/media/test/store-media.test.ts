import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { OutageError } from '@recording-request/events/job-claims';
import { uuidv7 } from '@recording-request/kit/ids';
import { createLogger } from '@recording-request/kit/log';
import type { Sandbox } from '@recording-request/kit-ffmpeg/sandbox';
import type { Objects } from '@recording-request/kit-objects/objects';
import type { Event } from '@recording-request/proto/events/v1/events';
import type { MediaJob } from '@recording-request/proto/work/v1/work';
import { type TestClip, testClip } from '@recording-request/testing/clip';
import { testEnvironment } from '@recording-request/testing/environment';
import { testStores } from '@recording-request/testing/test-stores';
import { until } from '@recording-request/testing/wait';
import { type JobDirectories, openJobDirectories } from '../src/adapters/job-directory.ts';
import { inspectFile } from '../src/workflows/inspect-file.ts';
import { processClip } from '../src/workflows/process-clip.ts';
import { runOptions, sandbox } from './sandbox.ts';

// The store's clock may be ahead.
const AHEAD_MS = 60_000;
const log = createLogger('media', 'silent');
const opened = new AsyncDisposableStack();
let root = '';
let objects: Objects;
let jobs: JobDirectories;
let clip: TestClip;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'store-media-'));
  opened.defer(() => rm(root, { recursive: true, force: true }));
  objects = opened.use(testStores(testEnvironment())).objects();
  await objects.ensureBucket();
  jobs = opened.adopt(await openJobDirectories(root, 60_000), each => each.close());
  // Larger than one upload request to the store.
  const picture = { width: 1920, height: 1080, frameRate: 25, keyFrameSec: 0.04 };
  clip = await testClip({ container: 'mp4', audio: 'none', seconds: 6, ...picture });
  assert.ok(clip.bytes.length > 9_000_000, `${clip.bytes.length} bytes`);
});
after(() => opened.disposeAsync());

/**
 * Starts a job whose verification waits until `open` is called. If `verified` is given, the verification reads that
 * file instead of the video.
 */
async function jobThatWaits({ verified }: { verified?: string } = {}) {
  const [projectId, submissionId] = [uuidv7(), uuidv7()];
  const sourceKey = `submissions/${projectId}/${submissionId}/source`;
  const videoKey = `submissions/${projectId}/${submissionId}/video.mp4`;
  await objects.put(sourceKey, clip.bytes, { contentType: 'video/mp4' });
  const inspection = await inspectFile(clip.path, runOptions());
  const gate = join(root, submissionId);
  const waiting: Sandbox['commandOf'] = (program, args) => {
    if (program !== 'ffprobe') return sandbox.commandOf(program, args);
    const real = sandbox.commandOf(program, verified ? [...args.slice(0, -1), verified] : args);
    const script = 'until [ -e "$0" ]; do sleep 0.02; done; exec "$@"';
    return { command: 'sh', args: ['-c', script, gate, real.command, ...real.args] };
  };
  const published: Event[] = [];
  const sent = new Set<string>();
  const deps = {
    jobs,
    sandbox: { ...sandbox, commandOf: waiting },
    config: { jobSeconds: 60, sourceMaxBytes: 1e9 },
    objects: {
      ...objects,
      put: ((key, ...rest) => {
        sent.add(key);
        return objects.put(key, ...rest);
      }) satisfies Objects['put'],
    },
    kafka: { publish: async (event: Event) => void published.push(event) },
  };
  const request: MediaJob = { projectId, submissionId, sourceKey, inspection };
  const stop = new AbortController();
  const done = processClip(deps, request, { signal: stop.signal, log });
  done.catch(() => {});
  await until('the video is being sent', () => sent.has(videoKey));
  return { done, published, videoKey, open: () => writeFile(gate, ''), stop: () => stop.abort(new Error('a stop')) };
}

/** Aborts the unfinished multipart uploads in the store, as the sweeper does later. Returns their number. */
const endOpenPuts = () => objects.endOpenPuts(new Date(Date.now() + AHEAD_MS));

test('the video is sent during its verification, and stored and recorded only afterwards', async () => {
  const job = await jobThatWaits();
  assert.equal(await objects.stat(job.videoKey), undefined);
  assert.equal(job.published.length, 0);
  await job.open();
  await job.done;
  assert.equal(job.published[0]?.type, 'media.processed');
  assert.ok((await objects.stat(job.videoKey))!.size > 9_000_000);
});

test('a video that differs from the upload is not stored, and the video of another run remains', async () => {
  const noVideo = join(root, 'no-video');
  await writeFile(noVideo, 'no video');
  const job = await jobThatWaits({ verified: noVideo });
  await objects.put(job.videoKey, Buffer.from('of another run'), { contentType: 'video/mp4' });
  await job.open();
  await job.done;
  const [answer] = job.published;
  assert.ok(answer?.payload?.$case === 'mediaProcessed');
  const { video, thumbnails, problem } = answer.payload.value;
  assert.deepEqual([video, thumbnails.length], [undefined, 3], 'the other parts are made from the upload');
  assert.match(problem!, /^The video stays as it was uploaded/);
  assert.equal(String(await buffer(await objects.get(job.videoKey))), 'of another run');
  assert.equal(await endOpenPuts(), 0);
});

test('a job that ends during the verification stores nothing', async () => {
  const job = await jobThatWaits();
  job.stop();
  await assert.rejects(job.done, /a stop/);
  assert.equal(job.published.length, 0);
  assert.equal(await objects.stat(job.videoKey), undefined);
  assert.equal(await endOpenPuts(), 0);
});

test('a process that dies during the verification leaves only parts, which the sweep ends', async () => {
  const job = await jobThatWaits();
  await until('the store has a part', async () => (await endOpenPuts()) === 1);
  await job.open();
  await assert.rejects(job.done, OutageError);
  assert.equal(job.published.length, 0);
  assert.equal(await objects.stat(job.videoKey), undefined);
});
