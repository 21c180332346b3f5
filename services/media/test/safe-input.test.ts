import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeNotAClip, type NotAClip } from '@recording-request/fixtures/not-a-clip';
import { run } from '@recording-request/fixtures/run';
import { DomainError } from '@recording-request/kit/errors';
import { createLogger } from '@recording-request/kit/log';
import { safeInputOptions } from '@recording-request/kit-ffmpeg/safe-input';
import type { Inspection } from '@recording-request/proto/media/v1/media';
import { testClip } from '@recording-request/testing/clip';
import { runFfmpeg } from '../src/adapters/ffmpeg.ts';
import { scanPackets } from '../src/adapters/ffprobe.ts';
import { inspectFile } from '../src/workflows/inspect-file.ts';
import { UnusableMediaError } from '../src/workflows/make-media.ts';
import { makeMedia } from './make-media.ts';
import { runOptions, sandbox } from './sandbox.ts';

const KINDS: NotAClip[] = ['empty', 'html', 'noise', 'hls', 'ffconcat', 'svg'];
const log = createLogger('media', 'silent');
const PLAUSIBLE: Inspection = {
  container: 'mp4',
  durationSec: 3,
  hasAudio: true,
  videoCodec: 'h264',
  audioCodec: 'aac',
  width: 640,
  height: 360,
  keyFrames: [0, 2],
  lastFrameSec: 2.97,
  videoPackets: 90,
  audioPackets: 130,
  tracks: [
    {
      ...{ stream: 0, kind: 'video', codec: 'h264', packets: 90, bytes: 9_000, startSec: 0, endSec: 3 },
      ...{ descriptions: 1, channels: 0, looks: [] },
    },
  ],
};

let root = '';
let listener: Server;
let visits: string[] = [];
let bait = '';
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'guards-'));
  const clip = await testClip({ container: 'mp4', mp4: 'moov-at-end', audio: 'none', seconds: 1 });
  const body = await readFile(clip.path);
  listener = createServer((request, response) => {
    visits.push(request.url ?? '');
    response.end(body);
  });
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve));
  bait = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/bait.mp4`;
});
after(async () => {
  listener.close();
  await rm(root, { recursive: true, force: true });
});

const refused = (error: unknown) =>
  error instanceof DomainError &&
  error.code === 'unprocessable' &&
  /please record or choose another one\.$/.test(error.message);

test('the bait works: without the guards ffprobe follows a playlist', async () => {
  const requested = ['-protocol_whitelist', 'file,http,tcp'];
  for (const format of [
    ['-f', 'hls'],
    ['-f', 'concat', '-safe', '0'],
  ]) {
    visits = [];
    const path = await makeNotAClip(root, format[1] === 'hls' ? 'hls' : 'ffconcat', bait);
    await run('ffprobe', ['-v', 'quiet', ...requested, ...format, path]).catch(() => {});
    assert.ok(visits.length > 0, format.join(' '));
  }
});

for (const kind of KINDS)
  test(`${kind} named as a video is refused, without any network request`, async () => {
    visits = [];
    const path = await makeNotAClip(root, kind, bait);
    await assert.rejects(inspectFile(path, runOptions()), refused);
    // The result must be the same if the job contains an inspection that accepted the file as a video.
    const dir = await mkdtemp(join(root, 'job-'));
    await copyFile(path, join(dir, 'source'));
    const making = makeMedia({ dir, known: PLAUSIBLE }, { ...runOptions(), log });
    await assert.rejects(making, error => error instanceof UnusableMediaError);
    assert.deepEqual(visits, []);
  });

test('a file with only sound, a picture that is too large, and a video whose picture cannot be decoded are refused', async () => {
  const source = await testClip({ container: 'webm', text: 'Only my voice.' });
  const sound = join(root, 'sound.webm');
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', '-i', source.path, '-vn', '-c', 'copy', sound]);
  await assert.rejects(inspectFile(sound, runOptions()), refused);
  const tooLarge = (error: Error) =>
    refused(error) && /too large: at most 8K .* no side over 8,192/.test(error.message);
  for (const size of ['8448x64', '8192x4608']) {
    const huge = join(root, `${size}.mp4`);
    const encoding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
    const picture = ['-f', 'lavfi', '-i', `color=gray:s=${size}:r=2:d=1`, ...encoding];
    await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...picture, huge]);
    await assert.rejects(inspectFile(huge, runOptions()), tooLarge, size);
  }
  const bytes = await readFile(source.path);
  bytes.write('V_XP8', bytes.indexOf('V_VP8'));
  const strange = join(root, 'strange.webm');
  await writeFile(strange, bytes);
  await assert.rejects(inspectFile(strange, runOptions()), refused);
});

test('every input of every run has the guards, and no URL is read', async () => {
  assert.deepEqual(safeInputOptions('file').slice(0, 2), ['-protocol_whitelist', 'file']);
  visits = [];
  const output = join(root, 'out.mp4');
  const inputs = [{ path: (await testClip({ container: 'mp4', audio: 'none', seconds: 1 })).path }, { path: bait }];
  const call = {
    purpose: 'all' as const,
    inputs,
    outputs: [{ path: output, options: ['-map', '1', '-c', 'copy'] }],
  };
  await assert.rejects(runFfmpeg(call, runOptions()));
  assert.deepEqual(visits, []);
});

test('a signal kills ffmpeg and ffprobe, even if it fired before their start', {
  timeout: 60_000,
}, async () => {
  const clip = await testClip({
    container: 'mp4',
    audio: 'none',
    seconds: 20,
    width: 1280,
    height: 720,
  });
  const output = join(root, 'slow.mkv');
  const encode = ['-vf', 'scale=1920:1080', '-c:v', 'libx264', '-preset', 'veryslow'];
  const call = {
    purpose: 'all' as const,
    inputs: [{ path: clip.path }],
    outputs: [{ path: output, options: encode }],
  };
  const reason = new Error('enough');
  await assert.rejects(runFfmpeg(call, { sandbox, signal: AbortSignal.abort(reason) }), reason);
  const stop = new AbortController();
  const killed = assert.rejects(runFfmpeg(call, { sandbox, signal: stop.signal }), reason);
  while ((await processesOf(output)) === 0) await new Promise(setImmediate);
  stop.abort(reason);
  await killed;
  assert.equal(await processesOf(output), 0);
  await assert.rejects(scanPackets(clip.path, { sandbox, signal: AbortSignal.abort(reason) }), reason);
});

async function processesOf(word: string): Promise<number> {
  const ids = (await readdir('/proc')).filter(name => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map(id => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter(line => line.includes(word) && line.includes('ffmpeg')).length;
}
