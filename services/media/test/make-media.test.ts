import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ClipOptions } from '@recording-request/fixtures/clip';
import { run } from '@recording-request/fixtures/run';
import { createLogger } from '@recording-request/kit/log';
import { testClip } from '@recording-request/testing/clip';
import { removeBroken } from '../src/adapters/clip-files.ts';
import { DiskFullError, runFfmpeg } from '../src/adapters/ffmpeg.ts';
import { scanPackets } from '../src/adapters/ffprobe.ts';
import { chosenStreams } from '../src/domain/inspection.ts';
import { THUMBNAILS } from '../src/domain/plan.ts';
import { inspectFile } from '../src/workflows/inspect-file.ts';
import { beginMedia } from '../src/workflows/make-media.ts';
import { makeMedia, type WholeMedia } from './make-media.ts';
import { runOptions } from './sandbox.ts';

const TEXT = 'Hello, my name is Anna and this is my answer to the question.';
const log = createLogger('media', 'silent');
let root = '';
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'make-media-'));
});
after(() => rm(root, { recursive: true, force: true }));

async function jobWith(path: string): Promise<string> {
  const dir = await mkdtemp(join(root, 'job-'));
  await copyFile(path, join(dir, 'source'));
  return dir;
}

async function process(path: string): Promise<WholeMedia & { dir: string }> {
  const dir = await jobWith(path);
  const known = await inspectFile(join(dir, 'source'), runOptions());
  return { dir, ...(await makeMedia({ dir, known }, { ...runOptions(), log })) };
}

const clip = (spec: Omit<ClipOptions, 'dir'>) => testClip({ ...spec });
const probe = async (path: string, entries: string) =>
  (await run('ffprobe', ['-v', 'error', '-show_entries', entries, '-of', 'csv=p=0', path])).trim();
const fullyDecodes = (path: string) =>
  run('ffmpeg', ['-nostdin', '-v', 'error', '-xerror', '-i', path, '-f', 'null', '-']);
const sha256 = async (path: string) =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex');

async function assertThumbnails(made: WholeMedia, differ = 3): Promise<void> {
  assert.deepEqual(
    made.thumbnails.map(({ name }) => name),
    ['start', 'middle', 'end'],
  );
  const sums = new Set<string>();
  for (const { path } of made.thumbnails) {
    assert.equal((await readFile(path)).subarray(0, 3).toString('hex'), 'ffd8ff');
    const [width] = (await probe(path, 'stream=width,height')).split(',').map(Number);
    assert.ok(width! > 0 && width! <= 640, `${width} pixels`);
    sums.add(await sha256(path));
  }
  assert.equal(sums.size, differ, 'as many pictures as moments');
}

/** Returns the CPU time of this process's ended children, in ticks. */
async function childTicks(): Promise<number> {
  const fields = (await readFile('/proc/self/stat', 'utf8')).split(') ').at(-1)!.split(' ');
  return Number(fields[13]) + Number(fields[14]);
}

test('fading sound takes no more CPU time than silence', async t => {
  const minute = { container: 'webm', width: 64, height: 36, frameRate: 5, seconds: 60 } as const;
  const costOf = async (sound: Partial<ClipOptions>) => {
    const source = await clip({ ...minute, ...sound });
    const before = await childTicks();
    await process(source.path);
    return (await childTicks()) - before;
  };
  const [silence, fading] = [await costOf({ audio: 'silence' }), await costOf({ text: TEXT })];
  t.diagnostic(`${silence} ticks for a minute of silence, ${fading} for one that begins with speech`);
  assert.ok(fading < 2 * silence, `${fading} ticks, and ${silence} for silence`);
});

test('a live WebM becomes a seekable one with a length, sound and three moments', async () => {
  const source = await clip({ container: 'webm', text: TEXT, seconds: 8, width: 1280, height: 720 });
  const made = await process(source.path);
  const video = join(made.dir, 'video.webm');
  assert.ok(Math.abs(Number(await probe(video, 'format=duration')) - 8) < 0.2);
  const bytes = await readFile(video);
  const [cues, cluster] = ['1c53bb6b', '1f43b675'].map(id => bytes.indexOf(Buffer.from(id, 'hex')));
  assert.ok(cues! > 0 && cues! < cluster!, 'the index precedes the media');
  await fullyDecodes(video);
  const [before, afterwards] = [await scanPackets(source.path, runOptions()), await scanPackets(video, runOptions())];
  assert.equal(chosenStreams(before).video?.packets, chosenStreams(afterwards).video?.packets);
  assert.equal(await probe(made.audio!, 'stream=codec_name,channels'), 'aac,1');
  assert.ok(Math.abs(Number(await probe(made.audio!, 'format=duration')) - 8) < 0.2);
  assert.equal(made.inspection.container, 'webm');
  await assertThumbnails(made);
});

test('the same upload gives the same bytes, so a repeated job changes nothing', async () => {
  const source = await clip({ container: 'webm', text: TEXT });
  const [one, two] = [await process(source.path), await process(source.path)];
  for (const name of ['video.webm', 'audio.m4a', 'thumbnail-start.jpg', 'thumbnail-middle.jpg', 'thumbnail-end.jpg'])
    assert.equal(await sha256(join(one.dir, name)), await sha256(join(two.dir, name)), name);
});

test('an MP4 from a phone has its index at the front, keeps its rotation, and loses place and device', async () => {
  const metadata = { location: '+48.8500+002.3500/', artist: 'SecretDevice' };
  const source = await clip({ container: 'mp4', mp4: 'moov-at-end', text: TEXT, rotate: 90, metadata });
  assert.ok((await readFile(source.path)).includes('SecretDevice'));
  const made = await process(source.path);
  const bytes = await readFile(join(made.dir, 'video.mp4'));
  assert.ok(bytes.indexOf('moov') < bytes.indexOf('mdat'));
  assert.ok(!bytes.includes('SecretDevice') && !bytes.includes('48.85'));
  assert.match(await probe(join(made.dir, 'video.mp4'), 'stream_side_data=rotation'), /^-?90/);
  assert.equal(await probe(made.thumbnails[0]!.path, 'stream=width,height'), '360,640');
  assert.equal(await probe(made.audio!, 'stream=codec_name,channels'), 'aac,1');
  await assertThumbnails(made);
});

test('a fragmented MP4, as Safari records it, is processed', async () => {
  const made = await process((await clip({ container: 'mp4', text: TEXT })).path);
  const bytes = await readFile(join(made.dir, 'video.mp4'));
  assert.equal(bytes.indexOf('moof'), -1);
  await fullyDecodes(join(made.dir, 'video.mp4'));
  await assertThumbnails(made);
});

test('the pictures of an MP4 are the same without probing its streams, for any start time', async () => {
  const flat = await clip({ container: 'mp4', mp4: 'moov-at-end', text: TEXT, rotate: 90, keyFrameSec: 1 });
  const live = await clip({ container: 'mp4', text: TEXT, keyFrameSec: 1 });
  const late = join(root, 'late.mp4');
  await run('ffmpeg', ['-v', 'error', '-i', flat.path, '-c', 'copy', '-output_ts_offset', '2.5', late]);
  for (const path of [flat.path, live.path, late]) {
    const dir = await jobWith(path);
    const known = await inspectFile(join(dir, 'source'), runOptions());
    assert.equal(Math.round(known.startSec!), path === late ? 2 : 0);
    const picturesOf = async (inspection: typeof known) => {
      await Promise.all(THUMBNAILS.map(name => rm(join(dir, `thumbnail-${name}.jpg`), { force: true })));
      await beginMedia({ dir, known: inspection }, { ...runOptions(), log });
      return await Promise.all(THUMBNAILS.map(name => sha256(join(dir, `thumbnail-${name}.jpg`))));
    };
    const pictures = await picturesOf(known);
    assert.equal(new Set(pictures).size, 3);
    assert.deepEqual(await picturesOf({ ...known, startSec: undefined }), pictures, path);
  }
});

test('an H.264 recording has its stream’s size, whatever its container states', async () => {
  const { path } = await clip({ container: 'mp4', mp4: 'moov-at-end', text: TEXT, keyFrameSec: 1 });
  const cropped = join(root, 'cropped.mp4');
  await run('ffmpeg', ['-v', 'error', '-i', path, '-c', 'copy', '-bsf:v', 'h264_metadata=crop_bottom=12', cropped]);
  const made = await process(cropped);
  assert.deepEqual([made.inspection.width, made.inspection.height], [640, 356]);
  const known = await inspectFile(cropped, runOptions());
  assert.deepEqual([known.width, known.height], [640, 356]);
  await assertThumbnails(made);
});

test('thumbnails take no more CPU time when every picture is a key frame', async t => {
  const spent = async (keyFrameSec: number) => {
    const picture = { width: 1280, height: 720, frameRate: 25, keyFrameSec };
    const { path } = await clip({ container: 'mp4', audio: 'silence', seconds: 16, ...picture });
    const dir = await jobWith(path);
    const known = await inspectFile(join(dir, 'source'), runOptions());
    const before = await childTicks();
    await makeMedia({ dir, known }, { ...runOptions(), log });
    return (await childTicks()) - before;
  };
  const [few, all] = [await spent(2), await spent(0.04)];
  t.diagnostic(`${few} ticks with a key frame each two seconds, ${all} with 25 a second`);
  assert.ok(all < 3 * few, `${all} ticks, and ${few} with few key frames`);
});

test('a recording that begins in the middle of a stream is a video if one of its first packets gives a picture', async () => {
  const { path } = await clip({ container: 'webm', text: TEXT, seconds: 3, keyFrameSec: 0.5 });
  const late = join(root, 'late.webm');
  await run('ffmpeg', ['-v', 'error', '-i', path, '-c', 'copy', '-bsf:v', "noise=drop='lt(n,5)'", late]);
  const pictures = ['-select_streams', 'v', '-show_entries', 'packet=flags', '-of', 'csv=p=0'];
  assert.match(await run('ffprobe', ['-v', 'error', ...pictures, late]), /^__/, 'the first picture is no key frame');
  const { width } = await inspectFile(late, runOptions());
  assert.equal(width, 640);
});

test('one key frame in the whole clip: the middle and the end come from seeking in the remux', async () => {
  const made = await process((await clip({ container: 'webm', text: TEXT, seconds: 9, keyFrameSec: 100 })).path);
  assert.equal(made.inspection.keyFrames.length, 1);
  await assertThumbnails(made);
});

test('a clip without a sound track has no audio, one with silence has', async () => {
  const silent = await process((await clip({ container: 'webm', audio: 'none', seconds: 3 })).path);
  assert.equal(silent.audio, undefined);
  assert.equal(silent.inspection.hasAudio, false);
  await assertThumbnails(silent);
  const quiet = await process((await clip({ container: 'mp4', audio: 'silence', seconds: 3 })).path);
  assert.ok(quiet.audio);
});

test('a truncated recording is processed up to its end', async () => {
  for (const container of ['webm', 'mp4'] as const) {
    const source = await clip({ container, text: TEXT, seconds: 8 });
    const cut = join(root, `cut.${container}`);
    const bytes = await readFile(source.path);
    await writeFile(cut, bytes);
    await truncate(cut, Math.round(bytes.length * 0.6));
    const made = await process(cut);
    assert.ok(made.inspection.durationSec > 2 && made.inspection.durationSec < 7.5, `${made.inspection.durationSec} s`);
    const remux = await scanPackets(join(made.dir, `video.${container}`), runOptions());
    assert.ok(Math.abs(remux.headerDurationSec! - made.inspection.durationSec) < 0.2);
    await assertThumbnails(made);
  }
});

/**
 * Returns ten seconds of video in fragments of five seconds. The recorder writes each fragment's pictures before its
 * sound.
 */
async function inLongFragments(): Promise<{ path: string; bytes: Buffer }> {
  const path = join(root, 'fragments.mp4');
  const input = ['-f', 'lavfi', '-i', 'testsrc2=s=320x240:d=10:r=15', '-f', 'lavfi', '-i', 'sine=440:d=10'];
  const fragments = ['-g', '75', '-sc_threshold', '0', '-movflags', 'frag_keyframe+empty_moov+default_base_moof'];
  await run('ffmpeg', [
    '-v',
    'error',
    '-y',
    ...input,
    '-c:v',
    'libx264',
    '-bf',
    '0',
    '-c:a',
    'aac',
    ...fragments,
    path,
  ]);
  return { path, bytes: await readFile(path) };
}

const packetsOf = async (path: string, stream: 'v' | 'a') => {
  const count = ['-count_packets', '-select_streams', stream, '-show_entries', 'stream=nb_read_packets'];
  return Number(await run('ffprobe', ['-v', 'quiet', ...count, '-of', 'csv=p=0', path]));
};

test('a recording cut inside a fragment keeps every picture and sound that arrived', async () => {
  const { path, bytes } = await inLongFragments();
  const fragment = bytes.lastIndexOf('mdat') - 4;
  const cut = join(root, 'cut-fragment.mp4');
  await writeFile(cut, bytes.subarray(0, fragment + Math.round(bytes.readUInt32BE(fragment) * 0.5)));
  const [pictures, sounds] = [await packetsOf(cut, 'v'), await packetsOf(cut, 'a')];
  assert.ok(pictures > 100 && pictures < (await packetsOf(path, 'v')), `${pictures} pictures came`);
  const made = await process(cut);
  const video = join(made.dir, 'video.mp4');
  assert.equal(made.problem, undefined);
  assert.deepEqual([await packetsOf(video, 'v'), await packetsOf(video, 'a')], [pictures, sounds]);
  assert.ok(Math.abs(made.inspection.durationSec - pictures / 15) < 0.1, `${made.inspection.durationSec} s`);
  const soundSec = Number(await probe(made.audio!, 'format=duration'));
  assert.ok(Math.abs(soundSec - (sounds * 1_024) / 44_100) < 0.1, `${soundSec} s of sound`);
  // The last picture is incomplete, so the thumbnail shows an earlier one.
  await assertThumbnails(made);
});

test('a clip has the length of its pictures, even if its index puts sound beyond the file’s end', async () => {
  const { path } = await clip({ container: 'mp4', mp4: 'moov-at-end', text: TEXT, seconds: 8 });
  const bytes = await readFile(path);
  // Changes the sound track, which is the second track: all chunks except the first.
  const table = bytes.indexOf('stco', bytes.indexOf('stco') + 4) + 8;
  const pieces = bytes.readUInt32BE(table);
  assert.ok(pieces > 1);
  for (let piece = 1; piece < pieces; piece++) bytes.writeUInt32BE(0x7f_00_00_00, table + 4 + piece * 4);
  const lying = join(root, 'lying.mp4');
  await writeFile(lying, bytes);
  const { durationSec, videoPackets } = await inspectFile(lying, runOptions());
  assert.ok(Math.abs(durationSec - 8) < 0.2, `${durationSec} s`);
  const made = await process(lying);
  assert.equal(await packetsOf(join(made.dir, 'video.mp4'), 'v'), videoPackets);
});

test('codecs that their own container cannot keep are copied to MP4 or MOV', async () => {
  const source = await clip({ container: 'mp4', mp4: 'moov-at-end', text: TEXT });
  const copy = ['-nostdin', '-v', 'error', '-y', '-i', source.path, '-c:v', 'copy'];
  const mkv = join(root, 'h264-opus.mkv');
  await run('ffmpeg', [...copy, '-c:a', 'libopus', mkv]);
  const mov = join(root, 'pcm.mov');
  await run('ffmpeg', [...copy, '-c:a', 'pcm_s16le', mov]);
  for (const [path, container] of [
    [mkv, 'mp4'],
    [mov, 'mov'],
  ] as const) {
    const made = await process(path);
    assert.deepEqual([made.clip.plan.container, made.problem], [container, undefined]);
    await fullyDecodes(join(made.dir, `video.${container}`));
    assert.equal(await probe(made.audio!, 'stream=codec_name,channels'), 'aac,1');
    await assertThumbnails(made);
  }
});

test('if one run cannot make everything, the parts are made from the remux', async () => {
  const dir = await jobWith((await clip({ container: 'webm', text: TEXT })).path);
  const { sandbox, signal } = runOptions();
  const known = await inspectFile(join(dir, 'source'), runOptions());
  let runs = 0;
  const commandOf: typeof sandbox.commandOf = (program, args) =>
    // Selects the first run without arguments: fluent-ffmpeg adds them later, and its first run makes all files.
    program === 'ffmpeg' && args.length === 0 && runs++ === 0
      ? { command: sandbox.commandOf(program, args).command, args: ['false'] }
      : sandbox.commandOf(program, args);
  const made = await makeMedia({ dir, known }, { sandbox: { ...sandbox, commandOf }, signal, log });
  assert.ok(runs > 1, 'the first run failed, and others came after it');
  assert.equal(await probe(made.audio!, 'stream=codec_name,channels'), 'aac,1');
  await assertThumbnails(made);
});

test('a full disk is distinguished from an unusable clip, and its run leaves no files', async () => {
  const dir = await jobWith((await clip({ container: 'webm', text: TEXT })).path);
  const [whole, full] = [join(dir, 'whole.mkv'), join(dir, 'full.mkv')];
  await symlink('/dev/full', full);
  const copy = ['-map', '0', '-c', 'copy'];
  const call = {
    ...{ purpose: 'all' as const, cpuSeconds: 60, inputs: [{ path: join(dir, 'source') }] },
    outputs: [whole, full].map(path => ({ path, options: copy })),
  };
  await assert.rejects(runFfmpeg(call, runOptions()), DiskFullError);
  assert.deepEqual(await readdir(dir), ['source']);
});

test('sound and pictures truncated by a full disk do not count as made', async () => {
  const made = await process((await clip({ container: 'webm', text: TEXT })).path);
  const [picture] = made.thumbnails;
  for (const path of [made.audio!, picture!.path]) await truncate(path, Math.round((await stat(path)).size * 0.9));
  await removeBroken(made.clip);
  assert.deepEqual((await readdir(made.dir)).toSorted(), [
    'source',
    ...['thumbnail-end.jpg', 'thumbnail-middle.jpg', 'video.webm'],
  ]);
});

test('sound of an unknown codec would be lost in a copy: the upload remains the video and has thumbnails', async () => {
  const made = await process(await withBytes('strange-sound', 'A_OPUS', 'A_OPUX'));
  assert.deepEqual([made.isEqual, made.audio], [false, undefined]);
  assert.match(made.problem!, /^The video stays as it was uploaded.* The sound could not be read\.$/);
  await assertThumbnails(made);
});

async function withBytes(name: string, from: string, to: string): Promise<string> {
  const bytes = await readFile((await clip({ container: 'webm', text: TEXT })).path);
  bytes.write(to, bytes.indexOf(from));
  const path = join(root, `${name}.webm`);
  await writeFile(path, bytes);
  return path;
}
