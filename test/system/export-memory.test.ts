/**
 * Compares the exports of many clips of 5 MB with the exports of a tenth of these clips, in six new processes. Memory
 * must not grow with the size of an export, and an export must stop when its client disconnects. This is a separate
 * file, because its services are measured and must otherwise be idle.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { ProjectCreatedJson } from '@recording-request/contract/resources/project';
import type { SubmissionJson } from '@recording-request/contract/resources/submission';
import { ok } from '@recording-request/harness/http-client';
import { forgetPeak, peakOf } from '@recording-request/harness/proc';
import { uuidv7 } from '@recording-request/kit/ids';
import { SERVICES } from '@recording-request/stack/service-plan';
import { testClip } from '@recording-request/testing/clip';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import { startTestSystem } from '@recording-request/testing/test-system';
import { until } from '@recording-request/testing/wait';
import { downloadTo, readUntil } from './harness/download.ts';
import { inParallel, SYSTEM_WAIT } from './harness/limits.ts';
import { bytesRead, bytesWaiting } from './harness/processes.ts';
import { readZipFile } from './harness/python.ts';
import { openStores } from './harness/stores.ts';

const MB = 1e6;
/** 80 clips are 400 MB, ten times the permitted growth of a peak. */
const MANY = Number(process.env.EXPORT_MEMORY_CLIPS ?? 80);
const FEW = MANY / 10;
const COPIES_AT_ONCE = 4;
const MEASURE_MS = 300_000;
/** A peak may grow by the larger of these two values, because garbage collection makes it vary by some MB. */
const FLAT = { ratio: 1.2, bytes: 40 * MB };
const STOPS_WITHIN_MS = 20_000;
/**
 * The maximum number of bytes that a service reads in a second without an export: from Kafka, MongoDB and health
 * checks.
 */
const IDLE_BYTES = 1 * MB;

await using starting = new AsyncDisposableStack();
const system = starting.use(await startTestSystem({ restartable: true }));
const owner = await system.newOwner('Ada', 10 * MANY);
// With only key frames, 2.6 s take 5 MB, and ffmpeg decodes them fast.
const picture = { width: 1920, height: 1080, frameRate: 25, keyFrameSec: 1 / 25 };
const clip = await testClip({
  container: 'mp4',
  audio: 'none',
  seconds: 2.6,
  ...picture,
});

const newProject = (projectName: string, sharedLinkMaxUses: number) =>
  owner.createProject({
    projectName,
    count: 1,
    sharedLinkEnabled: true,
    sharedLinkMaxUses,
    transcriptionEnabled: false,
  });
const few = await newProject('Few', FEW);
const many = await newProject('Many', MANY);
const started = starting.move();
after(() => started.disposeAsync());

const urlOf = (project: ProjectCreatedJson, file: string) =>
  `${system.baseUrl}/api/projects/${project.projectId}/${file}`;
const ZIP = 'export/project.zip';
const FILES = ['export.json', 'export.csv', 'export/transcripts.txt', ZIP];

/**
 * Fills a project with that many clips. Uploads one clip and copies its records and objects in the stores, because
 * uploading each clip would take minutes. Returns the total size that the API reports.
 */
async function fill(project: ProjectCreatedJson, clips: number): Promise<number> {
  const link = project.sharedLink!.recipientUrl;
  const submissionId = await sendClip(link, clip, { responseSessionId: await beginResponse(link) });
  const readyClips = async () => {
    const { submissions } = ok(await owner.ask(urlOf(project, 'export.json')));
    return submissions.filter((each: SubmissionJson) => each.mediaStatus === 'ready') as SubmissionJson[];
  };
  await until('the media of the clip', async () => (await readyClips()).length === 1, SYSTEM_WAIT);
  const video = await owner.ask(urlOf(project, `submissions/${submissionId}/video`));
  await copyClip(submissionId, video.bytes, clips - 1);
  const ready = await readyClips();
  assert.equal(ready.length, clips);
  return ready.reduce((sum, each) => sum + each.fileSize!, 0);
}

async function copyClip(submissionId: string, video: Buffer, copies: number): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const stores = opened.adopt(await openStores(system), each => each.close());
  const submissions = stores.collection('submissions', 'submissions');
  const row = (await submissions.findOne({ _id: submissionId }))!;
  const stored = row.video as { key: string; size: number };
  assert.equal(video.length, stored.size, 'the API returns the whole video');
  await inParallel(Array.from({ length: copies }), COPIES_AT_ONCE, async () => {
    const id = uuidv7();
    const key = stored.key.replace(submissionId, id);
    await stores.copy(stored.key, key);
    await submissions.insertOne({ ...row, _id: id, responseId: randomUUID(), video: { ...stored, key } });
  });
}

/** Downloads the four exports one after the other and keeps the last, the ZIP. Returns its size and its duration. */
async function download(project: ProjectCreatedJson): Promise<{ bytes: number; ms: number }> {
  const path = join(system.scratch, 'export');
  let last = { bytes: 0, ms: 0 };
  for (const file of FILES) {
    last = await downloadTo(path, urlOf(project, file), owner.token);
    assert.ok(last.bytes > 0, file);
  }
  await rename(path, zipPath(project));
  return last;
}

/** The path of a project's last downloaded project.zip. */
const zipPath = ({ projectId }: ProjectCreatedJson) => join(system.scratch, `${projectId}.zip`);

/** Returns each process's peak memory over `times` downloads of a project's exports. */
async function peaksOf(project: ProjectCreatedJson, times: number) {
  for (const name of SERVICES) forgetPeak(system.services[name].pid);
  let zip = await download(project);
  for (let done = 1; done < times; done++) zip = await download(project);
  const peaks = SERVICES.map(name => peakOf(system.services[name].pid));
  return { zip, peaks: Object.fromEntries(SERVICES.map((name, at) => [name, peaks[at]!])) };
}

const sizes = { few: 0, many: 0 };

test(`one project gets ${FEW} clips, another ${MANY}`, { timeout: MEASURE_MS }, async t => {
  const began = performance.now();
  sizes.few = await fill(few, FEW);
  sizes.many = await fill(many, MANY);
  assert.ok(clip.bytes.length >= 4.5 * MB, `a clip has ${clip.bytes.length} bytes`);
  assert.ok(sizes.many >= 0.9 * MANY * clip.bytes.length);
  const seconds = Math.round((performance.now() - began) / 1000);
  t.diagnostic(`${FEW + MANY} clips of ${clip.bytes.length} bytes were there after ${seconds} s`);
});

test(`an export of ${MANY} clips takes no more memory than one of ${FEW}`, { timeout: MEASURE_MS }, async t => {
  // Memory left from landing would hide the memory of an export.
  await system.restart();
  const times = Math.round(MANY / FEW);
  // The first downloads need additional memory in a new process, so they are not measured.
  await peaksOf(few, 3);
  // Exports the same number of bytes from both projects, because a longer measurement sees a higher peak.
  const small = await peaksOf(few, times);
  const large = await peaksOf(many, 1);
  const mb = (bytes: number) => (bytes / MB).toFixed(1);
  t.diagnostic(
    `project.zip: ${mb(small.zip.bytes)} MB in ${small.zip.ms} ms, ${mb(large.zip.bytes)} MB in ${large.zip.ms} ms`,
  );
  for (const name of SERVICES) {
    const [one, other] = [small.peaks[name]!, large.peaks[name]!];
    t.diagnostic(
      `${name}: peak ${mb(one)} MB with ${FEW} clips, ${mb(other)} MB with ${MANY} (${(other / one).toFixed(2)}×)`,
    );
  }
  for (const name of SERVICES) {
    const [one, other] = [small.peaks[name]!, large.peaks[name]!];
    assert.ok(
      other <= Math.max(one * FLAT.ratio, one + FLAT.bytes),
      `${name} took ${mb(one)} MB, then ${mb(other)} MB`,
    );
  }
});

test('both ZIPs are whole', { timeout: MEASURE_MS }, async () => {
  for (const [project, clips, size] of [
    [few, FEW, sizes.few],
    [many, MANY, sizes.many],
  ] as const) {
    const { bad, entries } = await readZipFile(zipPath(project));
    assert.equal(bad, null);
    const videos = entries.filter(each => each.name.startsWith('videos/'));
    assert.equal(videos.length, clips);
    assert.equal(
      videos.reduce((sum, each) => sum + each.size, 0),
      size,
    );
    assert.equal(entries.length, clips + 3);
  }
});

test('a client that disconnects during a download stops its export', { timeout: MEASURE_MS }, async t => {
  const { pid } = system.services.gateway;
  const start = await bytesRead(pid);
  const reader = await readUntil(20 * MB, urlOf(many, ZIP), owner.token);
  const read = (await bytesRead(pid)) - start;
  assert.ok(read >= 20 * MB, 'the counter includes the bytes of an export');
  reader.leave();
  const left = performance.now();
  assert.ok(reader.received() < sizes.many / 2, 'most of the export was still to come');
  const total = await until(
    'a second without reads for the export',
    async () => {
      const before = await bytesRead(pid);
      await pause(1_000);
      const now = await bytesRead(pid);
      return now - before < IDLE_BYTES && now - start;
    },
    { limitMs: STOPS_WITHIN_MS, everyMs: 150 },
  );
  const figures = `${reader.received()} bytes received, ${total} read in total`;
  t.diagnostic(`${figures}; reading stopped ${Math.round(performance.now() - left)} ms after the client disconnected`);
  // Checks that the export was not complete, because the services also stop reading after a complete export.
  assert.ok(total < sizes.many / 2, figures);
});

test('a client that stops reading and disconnects leaves no bytes queued', { timeout: MEASURE_MS }, async t => {
  const waiting = async () =>
    (await bytesWaiting(system.services.submissions.pid)) + (await bytesWaiting(system.services.gateway.pid));
  const reader = await readUntil(5 * MB, urlOf(many, ZIP), owner.token);
  const queued = await until(
    'an unread object',
    async () => {
      const fault = reader.fault();
      if (fault) throw new Error('the export broke off', { cause: fault });
      reader.pause();
      await pause(500);
      const bytes = await waiting();
      if (bytes > 0.1 * MB) return bytes;
      // The export stopped between two objects. Resumes reading and tries again.
      reader.resume();
      return false;
    },
    SYSTEM_WAIT,
  );
  reader.leave();
  const left = performance.now();
  await until('all queues to be empty', async () => (await waiting()) === 0, {
    limitMs: STOPS_WITHIN_MS,
    everyMs: 150,
  });
  t.diagnostic(
    `${queued} bytes were queued for the client; none ${Math.round(performance.now() - left)} ms after it disconnected`,
  );
});
