import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeNotAClip } from '@recording-request/fixtures/not-a-clip';
import { run } from '@recording-request/fixtures/run';
import { childrenOf, statusOf } from '@recording-request/harness/proc';
import { detectSandbox, type Limits } from '@recording-request/kit-ffmpeg/sandbox';
import { until } from '@recording-request/testing/wait';
import { measureSound, TooMuchSoundError } from '../src/adapters/sound.ts';
import { readConfig } from '../src/config.ts';
import { LIMITS, sandbox } from './sandbox.ts';

const MANIFEST = new URL('../../../deploy/k8s/base/transcription.yaml', import.meta.url);
const MIB = 1024 ** 2;
let root = '';
let tone: Buffer;
let bomb: Buffer;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'sound-'));
  tone = await made('tone.m4a', ['-f', 'lavfi', '-i', 'sine=220:d=60'], ['-c:a', 'aac', '-movflags', '+faststart']);
  // At one sample per second, these 300 KB declare 83 hours, which decode to 5 GB.
  const silence = join(root, 'silence');
  await writeFile(silence, Buffer.alloc(300_000, 128));
  bomb = await made('bomb.mka', ['-f', 'u8', '-ar', '1', '-ac', '1', '-i', silence], ['-c', 'copy']);
});
after(() => rm(root, { recursive: true, force: true }));

async function made(name: string, input: string[], output: string[]): Promise<Buffer> {
  const path = join(root, name);
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...input, ...output, path]);
  return await readFile(path);
}

const within = (ms: number) => ({ sandbox, signal: AbortSignal.timeout(ms) });
const underLimits = async (limits: Partial<Limits<'ffmpeg'>>) => ({
  sandbox: await detectSandbox({ ...LIMITS, ...limits }),
  signal: AbortSignal.timeout(60_000),
});

/** Finds the ffmpeg that this process runs. Stops it with SIGSTOP, so that it cannot end by itself. */
const halted = () =>
  until(
    'a stopped ffmpeg',
    async () => {
      for (const child of await childrenOf(process.pid)) {
        const line = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '');
        // Another ffmpeg may be running to list its capabilities.
        if ((await statusOf(child, 'Name')) !== 'ffmpeg' || !line.includes('s16le')) continue;
        process.kill(child, 'SIGSTOP');
        return child;
      }
      return undefined;
    },
    { limitMs: 30_000, everyMs: 2 },
  );

test('ffmpeg runs under the same limits as in media, cannot write files, and dies with the service', async () => {
  assert.deepEqual(sandbox.limits, ['memory', 'CPU time', 'file size', 'open files', 'processes', 'core files']);
  assert.equal(sandbox.endsWithParent, true);
  const stop = new AbortController();
  // More than the pipe holds, so that ffmpeg cannot end before the test finds it.
  const running = assert.rejects(measureSound(bomb, { sandbox, signal: stop.signal }), /enough/);
  const pid = await halted();
  const limits = await readFile(`/proc/${pid}/limits`, 'utf8');
  const wanted = { data: LIMITS.memoryBytes.ffmpeg, cpu: LIMITS.cpuSeconds.ffmpeg, file: 0, open: LIMITS.openFiles };
  assert.match(limits, new RegExp(`^Max data size +${wanted.data} `, 'm'));
  assert.match(limits, new RegExp(`^Max cpu time +${wanted.cpu} `, 'm'));
  assert.match(limits, new RegExp(`^Max file size +${wanted.file} `, 'm'));
  assert.match(limits, new RegExp(`^Max open files +${wanted.open} `, 'm'));
  assert.match(limits, new RegExp(`^Max processes +${LIMITS.processes} `, 'm'));
  const environment = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').filter(Boolean);
  assert.deepEqual(environment.map(one => one.split('=')[0]).sort(), ['LC_ALL', 'PATH']);
  assert.equal(await statusOf(pid, 'NoNewPrivs'), '1');
  stop.abort(new Error('enough'));
  await running;
  await until('the end of ffmpeg', async () => /^Z|^$/.test((await statusOf(pid, 'State')) ?? '') || undefined);
});

test('a few bytes that declare years of sound fail quickly', async () => {
  await assert.rejects(measureSound(bomb, within(30_000)), TooMuchSoundError);
});

test('sound that takes too much CPU time fails, and sound that takes too much memory is not measured', async () => {
  const noTime = await underLimits({ cpuSeconds: { ffmpeg: 0 } });
  await assert.rejects(measureSound(bomb, noTime), TooMuchSoundError);
  const noRoom = await underLimits({ memoryBytes: { ffmpeg: 32 * MIB } });
  assert.deepEqual((await measureSound(tone, noRoom)).levelsDb, []);
});

test('when another process kills ffmpeg, the sound does not count as silence', async () => {
  const measuring = assert.rejects(measureSound(bomb, within(60_000)), /ffmpeg was ended by SIGKILL/);
  process.kill(await halted(), 'SIGKILL');
  await measuring;
});

test('a late start or a gap becomes silence, so that later speech keeps its time', async () => {
  const loudAt = (levelsDb: number[], sec: number) => levelsDb[Math.round(sec * 10)]! > -40;
  const gap = await made(
    'gap.mp4',
    ['-f', 'lavfi', '-i', 'sine=220:d=12'],
    [...['-af', "aselect='lt(t,2)+gt(t,10)'", '-c:a', 'aac', '-movflags', '+faststart']],
  );
  const { levelsDb } = await measureSound(gap, within(30_000));
  assert.deepEqual(
    [1, 5, 9, 10.5, 11.5].map(sec => loudAt(levelsDb, sec)),
    [true, false, false, true, true],
  );
});

test('a playlist opens no URL and no other file', async () => {
  const visits: string[] = [];
  const listener: Server = createServer((request, response) => {
    visits.push(request.url ?? '');
    response.end(tone);
  });
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve));
  try {
    const bait = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/bait.m4a`;
    const file = join(root, 'other.m4a');
    await writeFile(file, tone);
    for (const kind of ['hls', 'ffconcat'] as const)
      for (const target of [bait, file]) {
        const playlist = await readFile(await makeNotAClip(root, kind, target));
        assert.deepEqual((await measureSound(playlist, within(30_000))).levelsDb, [], `${kind} of ${target}`);
      }
    assert.deepEqual(visits, []);
  } finally {
    listener.close();
  }
});

test('the service with ffmpeg in every slot fits into the memory limit of the manifest', async () => {
  const text = await readFile(MANIFEST, 'utf8');
  assert.doesNotMatch(text, /TRANSCRIPTION_(?:TOOL_MEMORY|SLOTS)/, 'this test checks the defaults');
  const [, mebibytes] = /limits: \{[^}]*memory: (\d+)Mi/.exec(text) ?? assert.fail('no limit of memory in Mi');
  const { concurrency, toolMemoryBytes } = readConfig({
    ...{ KAFKA_BROKERS: 'kafka:9092', SUBMISSIONS_GRPC: 'submissions:50051', INTERNAL_PLAINTEXT: 'true' },
    ...{ S3_ENDPOINT: 'http://store', S3_ACCESS_KEY: 'key', S3_SECRET_KEY: 'secret' },
    SPEECH_BASE_URL: 'http://speech/v1',
  });
  // The audio is in memory twice: as parts and as joined bytes.
  const most = 256 * MIB + concurrency * (50 * MIB + toolMemoryBytes);
  assert.ok(most <= Number(mebibytes) * MIB, `${most / MIB} MiB may be taken`);
});
