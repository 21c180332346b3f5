import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createLogger } from '@recording-request/kit/log';
import type { Sandbox } from '@recording-request/kit-ffmpeg/sandbox';
import { testClip } from '@recording-request/testing/clip';
import { startMeasured } from '@recording-request/testing/measured';
import { until } from '@recording-request/testing/wait';

const measured = startMeasured();
const { FfmpegError, runFfmpeg } = await import('../src/adapters/ffmpeg.ts');
const { UnusableMediaError } = await import('../src/workflows/make-media.ts');
const { makeMedia } = await import('./make-media.ts');
const { runOptions } = await import('./sandbox.ts');
const log = createLogger('media', 'silent');
let root = '';
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'killed-run-'));
});
after(async () => {
  await measured[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

/** Returns the sum of an ffmpeg metric; with `outcome`, only for this outcome. */
async function sumOf(name: string, outcome?: string): Promise<number> {
  const series = (await measured.seriesOf(name)).filter(
    ({ attributes }) =>
      attributes['process.executable.name'] === 'ffmpeg' &&
      (outcome === undefined || attributes['recording.outcome'] === outcome),
  );
  return series.reduce((sum, { value }) => sum + value, 0);
}

/** Returns a sandbox that runs this shell script in place of the ffmpeg runs that make files. */
function whoseRuns(script: string): Sandbox {
  const { sandbox } = runOptions();
  return {
    ...sandbox,
    commandOf(program, args) {
      const real = sandbox.commandOf(program, args);
      // Replaces only runs without arguments: these make files, because fluent-ffmpeg adds their arguments later.
      if (program !== 'ffmpeg' || args.length > 0) return real;
      return { ...real, args: [...real.args.slice(0, real.args.indexOf(program)), 'sh', '-c', script] };
    },
  };
}

for (const signal of ['KILL', 'TERM'])
  test(`ffmpeg that is ended by SIG${signal} says nothing about the clip: the job is retried`, async () => {
    const dir = await mkdtemp(join(root, 'job-'));
    await copyFile((await testClip({ container: 'webm', text: 'Hello.' })).path, join(dir, 'source'));
    const before = await sumOf('recording.ffmpeg.duration', 'killed');
    const making = makeMedia(
      { dir, known: undefined },
      { ...runOptions(), sandbox: whoseRuns(`kill -${signal} $$`), log },
    );
    await assert.rejects(making, (error: Error) => {
      assert.ok(!(error instanceof UnusableMediaError) && !(error instanceof FfmpegError), error.message);
      return /was ended by SIG/.test(error.message);
    });
    assert.equal(await sumOf('recording.ffmpeg.duration', 'killed'), before + 1);
  });

test('if every run of ffmpeg fails, the clip fails', async () => {
  const dir = await mkdtemp(join(root, 'job-'));
  await copyFile((await testClip({ container: 'webm', text: 'Hello.' })).path, join(dir, 'source'));
  const making = makeMedia({ dir, known: undefined }, { ...runOptions(), sandbox: whoseRuns('exit 1'), log });
  await assert.rejects(making, UnusableMediaError);
});

test('the CPU time of ffmpeg grows while it runs; ffmpeg that the service kills was not killed', async () => {
  const killed = await sumOf('recording.ffmpeg.duration', 'killed');
  const before = await sumOf('recording.ffmpeg.cpu.time');
  const abort = new AbortController();
  const none = { path: join(root, 'none'), options: [] };
  const options = { signal: abort.signal, sandbox: whoseRuns('while :; do :; done') };
  const running = runFfmpeg({ purpose: 'remux', inputs: [none], outputs: [none] }, options);
  const ended = assert.rejects(running, /out of time/);
  await until('it used CPU time', async () => (await sumOf('recording.ffmpeg.cpu.time')) > before + 0.3);
  assert.ok((await sumOf('recording.program.age')) > 0);
  abort.abort(new Error('out of time'));
  await ended;
  assert.equal(await sumOf('recording.program.age'), 0);
  assert.equal(await sumOf('recording.ffmpeg.duration', 'killed'), killed);
});
