import assert from 'node:assert/strict';
import { appendFile, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { run } from '@recording-request/fixtures/run';
import { createLogger } from '@recording-request/kit/log';
import { testClip } from '@recording-request/testing/clip';
import { inspectFile } from '../src/workflows/inspect-file.ts';
import { makeMedia, type WholeMedia } from './make-media.ts';
import { runOptions } from './sandbox.ts';

const QUIET = ['-nostdin', '-v', 'error', '-y'];
const PLACE = '+48.8577+002.2950+035.000/';
// The tags in which a phone, a camera or an editor states its name and its location.
const TAGS = {
  'com.apple.quicktime.location.ISO6709': PLACE,
  'com.apple.quicktime.make': 'SECRET-MAKE',
  'com.apple.quicktime.model': 'SECRET-MODEL',
  'com.apple.quicktime.software': 'SECRET-SOFTWARE',
  'com.apple.quicktime.creationdate': '2024-05-06T07:08:09+0200',
  'com.android.version': 'SECRET-ANDROID',
  location: PLACE,
  'location-eng': PLACE,
  make: 'SECRET-MAKE',
  model: 'SECRET-MODEL',
  artist: 'SECRET-ARTIST',
  comment: 'SECRET-COMMENT',
  title: 'SECRET-TITLE',
  encoder: 'SECRET-ENCODER',
  GPSLatitude: '48.8577',
  creation_time: '2024-05-06T07:08:09Z',
};
const SECRETS = ['SECRET', '48.8577', '002.2950', '2024-05-06'];
/** Tags that only describe the container and its playback. */
const ALLOWED_TAGS: Record<string, RegExp> = {
  major_brand: /^(isom|M4A )$/,
  minor_version: /^\d+$/,
  compatible_brands: /^[A-Za-z0-9 ]+$/,
  encoder: /^Lavf$/,
  language: /^(und|eng)$/,
  handler_name: /^(VideoHandler|SoundHandler)$/,
  vendor_id: /^\[0\]\[0\]\[0\]\[0\]$/,
  DURATION: /^[\d:.]+$/,
};
// Side data for the display of a picture.
const ALLOWED_SIDE_DATA = new Set(['Display Matrix']);
const log = createLogger('media', 'silent');

let root = '';
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'metadata-'));
});
after(() => rm(root, { recursive: true, force: true }));

interface Shown {
  format: { tags?: Record<string, string>; nb_streams: number };
  streams: Array<{
    codec_type: string;
    tags?: Record<string, string>;
    side_data_list?: Array<{ side_data_type: string }>;
  }>;
  chapters: unknown[];
}
const show = async (path: string): Promise<Shown> =>
  JSON.parse(
    await run('ffprobe', ['-v', 'error', '-of', 'json', '-show_format', '-show_streams', '-show_chapters', path]),
  );
const metadata = (tags: Record<string, string>) =>
  Object.entries(tags).flatMap(([name, value]) => ['-metadata', `${name}=${value}`]);

/** Writes chapters into a file for ffmpeg. */
async function chapters(): Promise<string> {
  const path = join(root, 'chapters.txt');
  await writeFile(path, ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=900\ntitle=SECRET-CHAPTER\n');
  return path;
}

/** Makes a MOV like one from a phone's camera and an editor. */
async function phoneMovie(): Promise<string> {
  const upright = await testClip({ container: 'mp4', mp4: 'moov-at-end', audio: 'silence', seconds: 3 });
  const path = join(root, 'phone.mov');
  const inputs = ['-i', upright.path, '-i', await chapters()];
  const streams = ['-metadata:s:v:0', 'rotate=90', '-metadata:s:v:0', 'handler_name=SECRET-HANDLER'];
  const names = ['-metadata:s:a:0', 'handler_name=SECRET-MICROPHONE', '-metadata:s:a:0', 'title=SECRET-SOUND'];
  const layout = ['-timecode', '01:02:03:04', '-movflags', 'use_metadata_tags', '-f', 'mov'];
  await run('ffmpeg', [
    ...QUIET,
    ...inputs,
    '-map_chapters',
    '1',
    '-c',
    'copy',
    ...metadata(TAGS),
    ...streams,
    ...names,
    ...layout,
    path,
  ]);
  // Editors and cameras also write XMP in a separate atom.
  const xmp = Buffer.from(
    'be7acfcb97a942e89c71999491e3afac<x:xmpmeta><exif:GPSLatitude>SECRET-XMP 48.8577</exif:GPSLatitude>',
  );
  const head = Buffer.alloc(8);
  head.writeUInt32BE(xmp.length + 8);
  head.write('uuid', 4);
  await appendFile(path, Buffer.concat([head, xmp]));
  return path;
}

/** Makes a Matroska with tags, chapters, subtitles, a cover and an attachment. */
async function taggedMatroska(): Promise<string> {
  const clip = await testClip({ container: 'webm', audio: 'silence', seconds: 3 });
  const [path, note, words] = [join(root, 'tagged.mkv'), join(root, 'note.txt'), join(root, 'words.srt')] as const;
  await writeFile(note, 'SECRET-ATTACHMENT');
  await writeFile(words, '1\n00:00:00,000 --> 00:00:02,000\nSECRET-SUBTITLE\n');
  const inputs = ['-i', clip.path, '-i', await chapters(), '-i', words];
  const streams = ['-metadata:s:v:0', 'title=SECRET-PICTURE', '-metadata:s:a:0', 'title=SECRET-SOUND'];
  const attached = [
    '-attach',
    note,
    '-metadata:s:t:0',
    'mimetype=text/plain',
    '-metadata:s:t:0',
    'filename=SECRET.txt',
  ];
  const maps = ['-map', '0', '-map', '2', '-map_chapters', '1'];
  await run('ffmpeg', [...QUIET, ...inputs, ...maps, '-c', 'copy', ...metadata(TAGS), ...streams, ...attached, path]);
  return path;
}

async function made(path: string): Promise<WholeMedia & { video: string }> {
  const dir = await mkdtemp(join(root, 'job-'));
  await copyFile(path, join(dir, 'source'));
  const known = await inspectFile(join(dir, 'source'), runOptions());
  const media = await makeMedia({ dir, known }, { ...runOptions(), log });
  return { ...media, video: join(dir, media.clip.plan.container === 'webm' ? 'video.webm' : 'video.mp4') };
}

async function assertHoldsNothing(path: string, kinds: string[]): Promise<void> {
  const bytes = await readFile(path);
  for (const secret of SECRETS) assert.ok(!bytes.includes(secret), `${path} holds ${secret}`);
  const { format, streams, chapters: left } = await show(path);
  assert.deepEqual(
    streams.map(({ codec_type }) => codec_type),
    kinds,
    'picture and sound, nothing else',
  );
  assert.deepEqual(left, [], 'chapters');
  for (const [name, value] of [format, ...streams].flatMap(({ tags }) => Object.entries(tags ?? {})))
    assert.match(value, ALLOWED_TAGS[name] ?? /^never$/, `${path} has the tag ${name}=${value}`);
  for (const { side_data_type } of streams.flatMap(({ side_data_list }) => side_data_list ?? []))
    assert.ok(ALLOWED_SIDE_DATA.has(side_data_type), side_data_type);
}

for (const [what, make, turn] of [
  ['a phone’s movie', phoneMovie, 90],
  ['a tagged Matroska', taggedMatroska, 0],
] as const)
  test(`nothing of ${what} reveals where, when or with what it was recorded`, async () => {
    const source = await make();
    const before = await readFile(source);
    for (const secret of ['SECRET-MODEL', '48.8577', 'SECRET-CHAPTER']) assert.ok(before.includes(secret), secret);
    assert.ok((await show(source)).streams.length > 2, 'more than picture and sound to begin with');
    const media = await made(source);
    await assertHoldsNothing(media.video, ['video', 'audio']);
    await assertHoldsNothing(media.audio!, ['audio']);
    assert.equal(media.thumbnails.length, 3);
    for (const { path } of media.thumbnails) await assertHoldsNothing(path, ['video']);
    const turns = await run('ffprobe', [
      '-v',
      'error',
      '-show_entries',
      'stream_side_data=rotation',
      '-of',
      'csv=p=0',
      media.video,
    ]);
    assert.equal(Math.abs(Number(turns.trim() || 0)), turn, 'the picture’s turn is kept');
  });
