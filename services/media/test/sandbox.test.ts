import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { childrenOf, statusOf } from '@recording-request/harness/proc';
import { uuidv7 } from '@recording-request/kit/ids';
import { detectSandbox, killGroup, type Limits, SPAWN_OPTIONS } from '@recording-request/kit-ffmpeg/sandbox';
import { testClip } from '@recording-request/testing/clip';
import { testEnvironment } from '@recording-request/testing/environment';
import { fakeWork, startFakeServices } from '@recording-request/testing/fake-services';
import { testCertificates } from '@recording-request/testing/test-certificates';
import { testStores } from '@recording-request/testing/test-stores';
import { until } from '@recording-request/testing/wait';
import { type FfmpegCall, FfmpegError, runFfmpeg } from '../src/adapters/ffmpeg.ts';
import { ScanLimitError, scanPackets } from '../src/adapters/ffprobe.ts';
import { LIMITS, sandbox } from './sandbox.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const WAIT_MS = 60_000;
let root = '';
let clip = '';
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'sandbox-'));
  clip = (await testClip({ container: 'mp4', audio: 'none', seconds: 20, width: 1280, height: 720 })).path;
});
after(() => rm(root, { recursive: true, force: true }));

/** Returns the arguments of an encoding that takes minutes. */
const slow = (name: string): FfmpegCall => {
  const options = ['-vf', 'scale=1920:1080', '-c:v', 'libx264', '-preset', 'veryslow'];
  return { purpose: 'all', inputs: [{ path: clip }], outputs: [{ path: join(root, name), options }] };
};

// Checks often, because the state may last only milliseconds.
const found = <T>(what: string, look: () => Promise<T | undefined>) =>
  until(what, look, { limitMs: WAIT_MS, everyMs: 5 });

/** Finds the ffmpeg below a process by `argument`, because another ffmpeg may be running to list its capabilities. */
const ffmpegOf = (pid: number, argument = '') =>
  found(`ffmpeg under ${pid}`, async () => {
    for (const child of await childrenOf(pid)) {
      const line = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '');
      if ((await statusOf(child, 'Name')) === 'ffmpeg' && line.includes(argument)) return child;
    }
    return undefined;
  });
// A zombie (an ended process that its parent has not collected) counts as ended.
const gone = (pid: number) =>
  found(`the end of ${pid}`, async () => (/^[^Z]/.test((await statusOf(pid, 'State')) ?? 'Z') ? undefined : true));

async function withLimits(limits: Partial<Limits>) {
  return { sandbox: await detectSandbox({ ...LIMITS, ...limits }), signal: AbortSignal.timeout(60_000) };
}

test('this system supports every limit of ffmpeg and ffprobe', async () => {
  assert.deepEqual(sandbox.limits, ['memory', 'CPU time', 'file size', 'open files', 'processes', 'core files']);
  assert.equal(sandbox.endsWithParent, true);
});

test('ffmpeg runs under the limits, in its own process group, and without our environment', async () => {
  process.env.S3_SECRET_KEY = process.env.S3_SECRET_KEY || 'a-secret-of-ours';
  const stop = new AbortController();
  const running = assert.rejects(runFfmpeg(slow('held.mkv'), { sandbox, signal: stop.signal }), /enough/);
  const pid = await ffmpegOf(process.pid, 'held.mkv');
  // The test stops the process with a signal, so that it cannot end during the check.
  process.kill(pid, 'SIGSTOP');
  const environment = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').filter(Boolean);
  assert.deepEqual(environment.map(one => one.split('=')[0]).sort(), ['LC_ALL', 'PATH']);
  const limits = await readFile(`/proc/${pid}/limits`, 'utf8');
  for (const [name, value] of [
    ['Max data size', LIMITS.memoryBytes.ffmpeg],
    ['Max cpu time', LIMITS.cpuSeconds.ffmpeg],
    ['Max file size', LIMITS.fileBytes],
    ['Max open files', LIMITS.openFiles],
    ['Max processes', LIMITS.processes],
    ['Max core file size', 0],
  ])
    assert.match(limits, new RegExp(`^${name} +${value} `, 'm'));
  assert.match((await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!, new RegExp(`^\\w \\d+ ${pid} ${pid} `));
  stop.abort(new Error('enough'));
  await running;
  await gone(pid);
});

test('too much memory, CPU time or output fails a run', { timeout: 120_000 }, async () => {
  const failed = (error: unknown) => error instanceof FfmpegError;
  await assert.rejects(
    runFfmpeg(slow('memory.mkv'), await withLimits({ memoryBytes: { ...LIMITS.memoryBytes, ffmpeg: 32 * 1024 ** 2 } })),
    failed,
  );
  const short = { cpuSeconds: { ffmpeg: 1, ffprobe: 1 } };
  await assert.rejects(runFfmpeg(slow('cpu.mkv'), await withLimits(short)), failed);
  const copy = { ...slow('size.mkv'), outputs: [{ path: join(root, 'size.mkv'), options: ['-c', 'copy'] }] };
  await assert.rejects(runFfmpeg(copy, await withLimits({ fileBytes: 200_000 })), failed);
  await assert.rejects(access(join(root, 'size.mkv')), 'a partial file would look complete');
});

test('a limit that the system does not support is omitted and reported', async () => {
  const found = await detectSandbox({ ...LIMITS, openFiles: Number.NaN });
  assert.deepEqual(
    found.limits,
    sandbox.limits.filter(name => name !== 'open files'),
  );
  const copy = { ...slow('left-out.mkv'), outputs: [{ path: join(root, 'left-out.mkv'), options: ['-c', 'copy'] }] };
  await runFfmpeg(copy, { sandbox: found, signal: AbortSignal.timeout(60_000) });
  await scanPackets(clip, { sandbox: found, signal: AbortSignal.timeout(60_000) });
});

test('a file that needs more CPU time than ffprobe has fails', async () => {
  const runOptions = await withLimits({ cpuSeconds: { ffmpeg: 1, ffprobe: 0 } });
  await assert.rejects(scanPackets(clip, runOptions), ScanLimitError);
});

test('a kill ends all processes that a program started', async () => {
  const shell = spawn('sh', ['-c', 'sleep 600 & wait'], SPAWN_OPTIONS);
  const child = await found('the child', async () => (await childrenOf(shell.pid!))[0]);
  killGroup(shell);
  await once(shell, 'close');
  await gone(child);
});

test('a program whose parent ended first does not start', async () => {
  const { command, args } = sandbox.commandOf('ffmpeg', ['-version']);
  // A shell starts the program, so the program's parent is not the expected process.
  const orphan = spawn('sh', ['-c', '"$@"; exit', 'sh', command, ...args], SPAWN_OPTIONS);
  const printed = Array.fromAsync(orphan.stdout);
  const [code] = await once(orphan, 'close');
  assert.deepEqual([code, Buffer.concat(await printed).toString()], [1, '']);
});

test('SIGKILL of the service in mid-job leaves no ffmpeg behind', {
  timeout: 240_000,
}, async () => {
  const work = fakeWork();
  const submissions = await startFakeServices([work]);
  const certificate = (await testCertificates()).env('media');
  const { env } = testEnvironment({ ...certificate, MEDIA_WORK_DIR: root, SUBMISSIONS_GRPC: submissions.address });
  await using stores = testStores({ env });
  const objects = stores.objects();
  await objects.ensureBucket();
  const kafka = await stores.kafka();
  const media = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    const projectId = uuidv7();
    const sourceKey = `submissions/${projectId}/${uuidv7()}/source`;
    await objects.put(sourceKey, await readFile(clip), { contentType: 'application/octet-stream' });
    // Publishes several jobs, because the first may end before the test finds it.
    for (let jobs = 0; jobs < 10; jobs++) {
      await work.give(kafka, { $case: 'media', value: { projectId, submissionId: uuidv7(), sourceKey } });
    }
    const ffmpeg = await heldJobOf(media.pid!);
    assert.ok((await readdir(join(root, 'recording-request-media'))).length > 0, 'it was in mid-job');
    process.kill(media.pid!, 'SIGKILL');
    await once(media, 'exit');
    await gone(ffmpeg);
  } finally {
    media.kill('SIGKILL');
    await submissions.close(0);
  }
});

/**
 * Finds the ffmpeg run that works on a clip, not a run from the service's start. Stops it with a signal, so that only
 * SIGKILL can end it.
 */
const heldJobOf = (pid: number) =>
  found(`a job of ${pid}`, async () => {
    for (const child of await childrenOf(pid)) {
      const line = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '');
      if ((await statusOf(child, 'Name')) !== 'ffmpeg' || !line.includes('source')) continue;
      try {
        process.kill(child, 'SIGSTOP');
        return child;
      } catch {
        // The process has just ended.
      }
    }
    return undefined;
  });
