import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { run } from '@recording-request/fixtures/run';
import { createLogger } from '@recording-request/kit/log';
import { inspectFile } from '../src/workflows/inspect-file.ts';
import { makeMedia, type WholeMedia } from './make-media.ts';
import { runOptions } from './sandbox.ts';

// Generated clips that imitate the files of real cameras, phones and browsers.
const log = createLogger('media', 'silent');
const PICTURE = ['-f', 'lavfi', '-i', 'testsrc2=s=320x240:r=25:d=4'];
const TONE = ['-f', 'lavfi', '-i', 'sine=440:d=4'];
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '50'];
let root = '';
let plain = '';
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'real-clips-'));
  plain = await ffmpeg('plain.mov', ...PICTURE, ...TONE, ...H264, '-c:a', 'pcm_s16le');
});
after(() => rm(root, { recursive: true, force: true }));

async function ffmpeg(name: string, ...args: string[]): Promise<string> {
  const path = join(root, name);
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args, path]);
  return path;
}

async function process(path: string): Promise<WholeMedia & { video: string }> {
  const dir = await mkdtemp(join(root, 'job-'));
  await copyFile(path, join(dir, 'source'));
  const known = await inspectFile(join(dir, 'source'), runOptions());
  const made = await makeMedia({ dir, known }, { ...runOptions(), log });
  return { ...made, video: join(dir, made.isEqual ? `video.${made.clip.plan.container}` : 'source') };
}

const probe = async (path: string, entries: string, ...more: string[]) =>
  (await run('ffprobe', ['-v', 'error', ...more, '-show_entries', entries, '-of', 'csv=p=0', path])).trim();
const picturesOf = (path: string) =>
  probe(path, 'stream=nb_read_frames', '-count_frames', '-select_streams', 'v:0').then(text =>
    Number.parseInt(text, 10),
  );

/** Returns the loudness of a part of a sound, in dB. */
async function loudness(path: string, from: number, seconds: number): Promise<number> {
  const range = ['-ss', String(from), '-t', String(seconds), '-i', path];
  const script = 'ffmpeg -nostdin -hide_banner "$@" -map 0:a:0 -af volumedetect -f null - 2>&1';
  const said = await run('sh', ['-c', script, 'sh', ...range]);
  return Number(/mean_volume: (-?[\d.]+|-inf) dB/.exec(said)?.[1]?.replace('-inf', '-200'));
}

const assertThumbnails = (made: WholeMedia) =>
  assert.deepEqual(
    made.thumbnails.map(({ name }) => name),
    ['start', 'middle', 'end'],
  );

async function assertWhole(made: WholeMedia): Promise<void> {
  assert.deepEqual([made.isEqual, made.problem], [true, undefined]);
  assert.ok(made.audio);
  assertThumbnails(made);
}

test('a rotated MOV with raw sound remains a MOV, and all its thumbnails are upright', async () => {
  const turned = await ffmpeg('turned.mov', '-i', plain, '-c', 'copy', '-metadata:s:v', 'rotate=90');
  const made = await process(turned);
  await assertWhole(made);
  assert.match(made.video, /\.mov$/);
  assert.match(await probe(made.video, 'stream_side_data=rotation'), /^-?90/);
  assert.equal(await picturesOf(made.video), 100);
  for (const { path } of made.thumbnails) assert.equal(await probe(path, 'stream=width,height'), '240,320');
});

/** Makes an MP4 whose camera changed its size midway: one track with two sample descriptions. */
async function ofTwoSizes(): Promise<string> {
  const half = (size: string) => ['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=25:d=2`, ...H264, '-bf', '0'];
  const first = await ffmpeg('first.mp4', ...half('320x240'));
  const second = await ffmpeg('second.mp4', ...half('640x480'));
  const [one, other] = await Promise.all([first, second].map(path => readFile(path)));
  return await joined(one!, other!);
}

/**
 * Joins two MP4s that have one video each, without ffmpeg: the samples in sequence, and both descriptions in one table.
 */
async function joined(one: Buffer, other: Buffer): Promise<string> {
  const boxOf = (bytes: Buffer, path: string[]) => {
    let [from, to] = [0, bytes.length];
    for (const type of path) {
      let at = from;
      while (bytes.toString('latin1', at + 4, at + 8) !== type) at += bytes.readUInt32BE(at);
      [from, to] = [at + 8, at + bytes.readUInt32BE(at)];
    }
    return bytes.subarray(from, to);
  };
  const table = (bytes: Buffer, type: string) => boxOf(bytes, ['moov', 'trak', 'mdia', 'minf', 'stbl', type]);
  const u32 = (...values: number[]) => {
    const bytes = Buffer.alloc(values.length * 4);
    for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, at * 4);
    return bytes;
  };
  const box = (type: string, ...content: Buffer[]) => {
    const body = Buffer.concat(content);
    return Buffer.concat([u32(body.length + 8), Buffer.from(type, 'latin1'), body]);
  };
  const sizes = [one, other].map(bytes => table(bytes, 'stsz').subarray(12));
  const counts = sizes.map(each => each.length / 4);
  const keys = [one, other].map(bytes => {
    const list = table(bytes, 'stss').subarray(8);
    return Array.from({ length: list.length / 4 }, (_, at) => list.readUInt32BE(at * 4));
  });
  const media = [one, other].map(bytes => boxOf(bytes, ['mdat']));
  const start = 16;
  const ticks = 100;
  const total = (counts[0]! + counts[1]!) * ticks;
  const stbl = box(
    'stbl',
    box('stsd', u32(0, 2), table(one, 'stsd').subarray(8), table(other, 'stsd').subarray(8)),
    box('stts', u32(0, 1, counts[0]! + counts[1]!, ticks)),
    box('stss', u32(0, keys.flat().length, ...keys[0]!, ...keys[1]!.map(key => key + counts[0]!))),
    box('stsc', u32(0, 2, 1, counts[0]!, 1, 2, counts[1]!, 2)),
    box('stsz', u32(0, 0, counts[0]! + counts[1]!), ...sizes),
    box('stco', u32(0, 2, start + 8, start + 8 + media[0]!.length)),
  );
  const mdia = ['moov', 'trak', 'mdia'];
  const mdhd = Buffer.from(boxOf(one, [...mdia, 'mdhd']));
  mdhd.writeUInt32BE(2_500, 12);
  mdhd.writeUInt32BE(total, 16);
  const tkhd = Buffer.from(boxOf(one, ['moov', 'trak', 'tkhd']));
  tkhd.writeUInt32BE(4_000, 20);
  const mvhd = Buffer.from(boxOf(one, ['moov', 'mvhd']));
  mvhd.writeUInt32BE(4_000, 16);
  const minf = box(
    'minf',
    box('vmhd', boxOf(one, [...mdia, 'minf', 'vmhd'])),
    box('dinf', boxOf(one, [...mdia, 'minf', 'dinf'])),
    stbl,
  );
  const trak = box(
    'trak',
    box('tkhd', tkhd),
    box('mdia', box('mdhd', mdhd), box('hdlr', boxOf(one, [...mdia, 'hdlr'])), minf),
  );
  const path = join(root, 'two-sizes.mp4');
  const ftyp = box('ftyp', Buffer.from('isom\0\0\0\0', 'latin1'));
  await writeFile(path, Buffer.concat([ftyp, box('mdat', ...media), box('moov', box('mvhd', mvhd), trak)]));
  return path;
}

test('a track with two sample descriptions would lose one: the upload remains the video and has thumbnails of both', async () => {
  const path = await ofTwoSizes();
  assert.equal(await picturesOf(path), 100, 'each of them can be decoded');
  const made = await process(path);
  assert.deepEqual([made.isEqual, await picturesOf(made.video)], [false, 100]);
  assert.match(made.problem!, /^The video stays as it was uploaded: a copy would lose a change of its format\.$/);
  assertThumbnails(made);
  assert.equal(await probe(made.thumbnails[2]!.path, 'stream=width,height'), '640,480');
});

test('every sound is kept, and the audio is made from the first one that is not silent', async () => {
  const silence = ['-f', 'lavfi', '-i', 'anullsrc=r=48000:cl=mono:d=4'];
  const maps = ['-map', '0:v', '-map', '1:a', '-map', '2:a', '-c:a', 'aac', '-ac', '1'];
  const made = await process(await ffmpeg('second-voice.mp4', ...PICTURE, ...silence, ...TONE, ...maps, ...H264));
  await assertWhole(made);
  assert.equal((await probe(made.video, 'stream=codec_type')).match(/audio/g)?.length, 2);
  assert.ok((await loudness(made.audio!, 1, 2)) > -40);
});

test('late sound that ends with a packet of unknown length in an MP4, and FLAC, are copied without a difference', async () => {
  const long = ['-f', 'lavfi', '-i', 'testsrc2=s=320x240:r=25:d=8.8', ...H264];
  const late = ['-itsoffset', '6', '-f', 'lavfi', '-i', 'sine=440:r=48000:d=2.8'];
  const clips = {
    'late-end.mp4': [...long.slice(0, 4), ...late, ...H264, '-c:a', 'aac'],
    'flac.mp4': [...PICTURE, ...TONE, ...H264, '-c:a', 'flac', '-strict', 'experimental'],
  };
  for (const [name, args] of Object.entries(clips)) {
    const made = await process(await ffmpeg(name, ...args));
    assert.deepEqual([made.isEqual, made.problem], [true, undefined], name);
  }
});

test('TV range is the default: a MOV that does not state it is equal', async () => {
  const tags = ['-color_range', 'tv', '-colorspace', 'smpte170m', '-color_trc', 'smpte170m'];
  const args = [...PICTURE, ...TONE, ...H264, ...tags, '-color_primaries', 'smpte170m', '-c:a', 'pcm_s16le'];
  const made = await process(await ffmpeg('range.mkv', ...args));
  await assertWhole(made);
  assert.match(made.video, /\.mov$/);
});

test('colours and pixel shapes are kept', async () => {
  const colours = ['-color_range', 'tv', '-colorspace', 'bt709', '-color_trc', 'bt709', '-color_primaries', 'bt709'];
  for (const [name, codec] of [
    ['colours.mp4', H264],
    ['colours.mov', H264],
    ['colours.webm', ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-pix_fmt', 'yuv420p']],
  ] as const) {
    const made = await process(await ffmpeg(name, ...PICTURE, ...codec, ...colours, '-aspect', '16:9'));
    assert.deepEqual([made.isEqual, made.problem], [true, undefined], name);
    const shown = await probe(made.video, 'stream=sample_aspect_ratio,color_space,color_transfer,color_primaries');
    // VP9 has no pixel shape, so WebM states the display size in whole pixels.
    assert.match(shown, /^(4:3|427:320),bt709,bt709,bt709/, name);
  }
});

test('IMA ADPCM, ProRes and a trimmed MOV are copied completely', async () => {
  const clips = {
    ima: ['-i', plain, '-c:v', 'copy', '-c:a', 'adpcm_ima_qt'],
    trimmed: ['-ss', '1.3', '-i', plain, '-c', 'copy'],
    prores: [...PICTURE, ...TONE, '-c:v', 'prores_ks', '-profile:v', '0', '-c:a', 'pcm_s16le'],
  };
  for (const [name, args] of Object.entries(clips)) {
    const path = await ffmpeg(`${name}.mov`, ...args);
    const made = await process(path);
    await assertWhole(made);
    assert.equal(await picturesOf(made.video), await picturesOf(path), name);
  }
});

test('a sound of an unknown codec affects nothing else: the next sound is used, and the upload remains the video', async () => {
  const maps = ['-map', '0:v', '-map', '1:a', '-map', '1:a', '-c:a:0', 'adpcm_ima_qt', '-c:a:1', 'aac'];
  const path = await ffmpeg('spatial.mov', ...PICTURE, ...TONE, ...maps, ...H264);
  const bytes = await readFile(path, 'latin1');
  await writeFile(path, bytes.replaceAll('ima4', 'apac'), 'latin1');
  const made = await process(path);
  assert.equal(made.isEqual, false);
  assert.match(made.problem!, /^The video stays as it was uploaded/);
  assert.ok((await loudness(made.audio!, 1, 2)) > -40);
  assertThumbnails(made);
});

test('a clip whose times restart would lose the second part: the upload remains the video', async () => {
  const vp8 = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-c:a', 'libopus', '-live', '1'];
  const webm = await readFile(await ffmpeg('once.webm', ...PICTURE, ...TONE, ...vp8));
  const mkv = await readFile(await ffmpeg('once.mkv', ...PICTURE, ...H264, '-bf', '3'));
  const clips = {
    'two-segments.webm': Buffer.concat([webm, webm]),
    'two-segments.mkv': Buffer.concat([mkv, mkv]),
    'clusters-again.webm': Buffer.concat([webm, webm.subarray(webm.indexOf('1f43b675', 'hex'))]),
  };
  for (const [name, bytes] of Object.entries(clips)) {
    const path = join(root, name);
    await writeFile(path, bytes);
    const made = await process(path);
    assert.equal(made.isEqual, false, name);
    assert.match(
      made.problem!,
      /^The video stays as it was uploaded: a copy would lose the parts whose times restart\./,
    );
    assertThumbnails(made);
  }
});

test('pictures out of order in a Matroska are no restart', async () => {
  const pyramid = [...H264, '-preset', 'medium', '-bf', '8', '-x264-params', 'b-pyramid=normal:b-adapt=0:open-gop=1'];
  for (const name of ['pyramid.mkv', 'pyramid.mp4']) {
    const made = await process(await ffmpeg(name, ...PICTURE, ...pyramid));
    assert.deepEqual([made.isEqual, made.problem], [true, undefined], name);
  }
});

test('a late microphone and a gap become silence, so that the sound’s times match the clip', async () => {
  const late = ['-itsoffset', '6', '-f', 'lavfi', '-i', 'sine=440:d=2'];
  const long = ['-f', 'lavfi', '-i', 'testsrc2=s=320x240:r=25:d=12'];
  const gap = "aselect='lt(t,2)+gt(t,10)'";
  const vp8 = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8'];
  const clips = {
    'late.mp4': [...long, ...late, ...H264, '-c:a', 'aac'],
    'late.webm': [...long, ...late, ...vp8, '-c:a', 'libopus'],
    'gap.mp4': [...long, '-f', 'lavfi', '-i', 'sine=440:d=12', '-af', gap, ...H264, '-c:a', 'aac'],
    'gap.webm': [...long, '-f', 'lavfi', '-i', 'sine=440:d=12', '-af', gap, ...vp8, '-c:a', 'libopus'],
  };
  for (const [name, args] of Object.entries(clips)) {
    const made = await process(await ffmpeg(name, ...args));
    assert.ok(made.audio, name);
    assert.deepEqual([made.isEqual, made.problem], [true, undefined], name);
    const isLate = name.startsWith('late');
    const [quiet, loud] = isLate ? [5, 6.3] : [8, 10.3];
    assert.ok((await loudness(made.audio!, quiet - 1, 1.5)) < -60, `${name} before`);
    assert.ok((await loudness(made.audio!, loud, 1)) > -40, `${name} after`);
    if (!isLate) assert.ok((await loudness(made.audio!, 0.2, 1.5)) > -40, `${name} at the start`);
  }
});

test('a gap of 80 ms becomes silence', async () => {
  const sound = "volume=enable='lt(t,2)':volume=0,aselect='lt(t,1)+gt(t,1.08)'";
  const made = await process(await ffmpeg('short-gap.mp4', ...PICTURE, ...TONE, '-af', sound, ...H264, '-c:a', 'aac'));
  assert.ok((await loudness(made.audio!, 1.9, 0.07)) < -60, 'before the tone');
  assert.ok((await loudness(made.audio!, 2.03, 0.07)) > -40, 'from its beginning');
});

test('a clip that was cut inside a picture has an earlier picture as its last thumbnail', async () => {
  const path = await ffmpeg('cut.mp4', ...PICTURE, ...TONE, ...H264, '-c:a', 'aac', '-movflags', '+faststart');
  const bytes = await readFile(path);
  await writeFile(path, bytes.subarray(0, Math.floor(bytes.length * 0.4)));
  const { thumbnails } = await process(path);
  const [, middle, end] = await Promise.all(thumbnails.map(thumbnail => readFile(thumbnail.path)));
  assert.ok(!middle!.equals(end!));
});

test('a clip whose edit list hides its first 65 pictures is a video, and its hidden pictures stay hidden', async () => {
  const long = ['-f', 'lavfi', '-i', 'testsrc2=s=320x240:r=25:d=4', ...TONE, ...H264, '-g', '250', '-c:a', 'aac'];
  const path = await ffmpeg('hidden.mp4', '-ss', '2.6', '-i', await ffmpeg('long.mp4', ...long), '-c', 'copy');
  assert.equal(await picturesOf(path), 35);
  const made = await process(path);
  await assertWhole(made);
  assert.equal(await picturesOf(made.video), 35);
});

test('upright 4K, cinema 4K and 8K pictures are accepted within the memory of a run', async () => {
  for (const size of ['2160x3840', '4096x2160', '5312x2988', '4320x7680']) {
    const picture = ['-f', 'lavfi', '-i', `color=gray:s=${size}:r=2:d=2`];
    const made = await process(await ffmpeg(`${size}.mp4`, ...picture, ...H264));
    assert.deepEqual([made.isEqual, made.problem], [true, undefined], size);
    assertThumbnails(made);
  }
});

/** Returns the colour of the first thumbnail. */
async function colourOf(path: string): Promise<number[]> {
  const { thumbnails, problem } = await process(path);
  assert.equal(problem, undefined);
  const args = [
    '-nostdin',
    '-v',
    'error',
    '-i',
    thumbnails[0]!.path,
    '-vf',
    'scale=1:1,format=rgb24',
    '-f',
    'rawvideo',
  ];
  return (await run('sh', ['-c', 'ffmpeg "$@" - | od -An -tu1', 'sh', ...args])).trim().split(/\s+/).map(Number);
}
const assertNear = (found: number[], wanted: number[], what: string) =>
  assert.ok(
    found.every((value, at) => Math.abs(value - wanted[at]!) <= 8),
    `${what}: ${found}, not ${wanted}`,
  );

test('thumbnails have the colours of the clip: with the matrix of BT.709, and HDR toned for an ordinary screen', async () => {
  const green = ['-f', 'lavfi', '-i', 'color=0x1EBE3C:s=1280x720:r=5:d=1'];
  const bt709 = ['-vf', 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p', '-c:v', 'libx264'];
  const tags = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'];
  assertNear(await colourOf(await ffmpeg('green.mp4', ...green, ...bt709, ...tags)), [30, 190, 60], 'BT.709');
  assertNear(await colourOf(await ffmpeg('untagged.mp4', ...green, ...bt709)), [30, 190, 60], 'HD without a tag');
  // VP8 states no colours. In a 3GP, only the stream states them.
  const small = ['-f', 'lavfi', '-i', 'color=0x1EBE3C:s=320x180:r=5:d=1', ...bt709.slice(0, 2), ...tags];
  assertNear(
    await colourOf(await ffmpeg('green.webm', ...small, '-c:v', 'libvpx', '-b:v', '1M')),
    [30, 190, 60],
    'VP8',
  );
  assertNear(await colourOf(await ffmpeg('green.3gp', ...small, '-c:v', 'libx264')), [30, 190, 60], '3GP');
  // The grey value 238, relative to a white of 203 cd/m².
  for (const [transfer, luma] of [
    ['arib-std-b67', 694],
    ['smpte2084', 559],
  ] as const) {
    const grey = `format=yuv420p10le,geq=lum=${luma}:cb=512:cr=512`;
    const params = `log-level=none:colorprim=bt2020:transfer=${transfer}:colormatrix=bt2020nc`;
    const hdr = ['-color_primaries', 'bt2020', '-color_trc', transfer, '-colorspace', 'bt2020nc', '-tag:v', 'hvc1'];
    const black = ['-f', 'lavfi', '-i', 'color=black:s=320x180:r=5:d=1', '-vf', grey];
    const path = await ffmpeg(`${transfer}.mp4`, ...black, '-c:v', 'libx265', '-x265-params', params, ...hdr);
    assertNear(await colourOf(path), [238, 238, 238], transfer);
  }
});

test('thumbnails have the displayed shape of the clip, even with non-square pixels', async () => {
  const wide = ['-f', 'lavfi', '-i', 'testsrc2=s=720x720:r=5:d=1', ...H264, '-aspect', '16:9'];
  const { thumbnails } = await process(await ffmpeg('anamorphic.mp4', ...wide));
  assert.equal(await probe(thumbnails[0]!.path, 'stream=width,height'), '640,360');
});

test('sound with inverse channels is kept by using one channel', async () => {
  const inverse = ['-af', 'pan=stereo|c0=c0|c1=-1*c0'];
  for (const codec of [
    ['-c:a', 'aac'],
    ['-c:a', 'pcm_s16le'],
  ]) {
    const made = await process(await ffmpeg('inverse.mov', ...PICTURE, ...TONE, ...H264, ...inverse, ...codec));
    assert.ok((await loudness(made.audio!, 1, 2)) > -40, codec.join(' '));
    assert.equal(await probe(made.audio!, 'stream=channels'), '1');
  }
});
