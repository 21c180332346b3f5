import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createLogger } from '@recording-request/kit/log';
import type { Sandbox } from '@recording-request/kit-ffmpeg/sandbox';
import { testClip } from '@recording-request/testing/clip';
import { FfmpegError } from '../src/adapters/ffmpeg.ts';
import { UnusableMediaError } from '../src/workflows/make-media.ts';
import { makeMedia } from './make-media.ts';
import { runOptions } from './sandbox.ts';

const log = createLogger('media', 'silent');
let root = '';
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'killed-run-'));
});
after(() => rm(root, { recursive: true, force: true }));

/** Returns a sandbox that runs this shell script in place of the ffmpeg runs that make files. */
function whoseRuns(script: string): Sandbox {
  const { sandbox } = runOptions();
  return {
    ...sandbox,
    commandOf(program, args) {
      const real = sandbox.commandOf(program, args);
      // Runs that make files pass no arguments here, because fluent-ffmpeg adds them later.
      if (program !== 'ffmpeg' || args.length > 0) return real;
      return { ...real, args: [...real.args.slice(0, real.args.indexOf(program)), 'sh', '-c', script] };
    },
  };
}

for (const signal of ['KILL', 'TERM'])
  test(`ffmpeg that is ended by SIG${signal} says nothing about the clip: the job is retried`, async () => {
    const dir = await mkdtemp(join(root, 'job-'));
    await copyFile((await testClip({ container: 'webm', text: 'Hello.' })).path, join(dir, 'source'));
    const making = makeMedia(
      { dir, known: undefined },
      { ...runOptions(), sandbox: whoseRuns(`kill -${signal} $$`), log },
    );
    await assert.rejects(making, (error: Error) => {
      assert.ok(!(error instanceof UnusableMediaError) && !(error instanceof FfmpegError), error.message);
      return /was ended by SIG/.test(error.message);
    });
  });

test('if every run of ffmpeg fails, the clip fails', async () => {
  const dir = await mkdtemp(join(root, 'job-'));
  await copyFile((await testClip({ container: 'webm', text: 'Hello.' })).path, join(dir, 'source'));
  const making = makeMedia({ dir, known: undefined }, { ...runOptions(), sandbox: whoseRuns('exit 1'), log });
  await assert.rejects(making, UnusableMediaError);
});
