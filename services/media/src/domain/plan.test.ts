import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Inspection } from './inspection.ts';
import { planFor, thumbnailMoments } from './plan.ts';

const tracksOf = (...codecs: string[]): Inspection['tracks'] =>
  codecs.map((codec, stream) => ({
    ...{ stream, kind: stream === 0 ? 'video' : 'audio', codec, packets: 1, bytes: 1, startSec: 0, endSec: 1 },
    ...{ descriptions: 1, channels: 1, looks: [] },
  }));

const clip = (changes: Partial<Inspection> = {}): Inspection => ({
  container: 'webm',
  durationSec: 30,
  hasAudio: true,
  videoCodec: 'vp8',
  audioCodec: 'opus',
  width: 640,
  height: 360,
  keyFrames: Array.from({ length: 15 }, (_, at) => at * 2),
  lastFrameSec: 29.97,
  videoPackets: 900,
  audioPackets: 1_500,
  tracks: tracksOf('vp8', 'opus'),
  ...changes,
});
const summaryOf = (inspection: Inspection) => thumbnailMoments(inspection).map(({ from, atSec }) => `${from} ${atSec}`);

test('thumbnails are the key frames nearest to the first, middle and last frame', () => {
  assert.deepEqual(
    thumbnailMoments(clip()).map(({ name }) => name),
    ['start', 'middle', 'end'],
  );
  assert.deepEqual(summaryOf(clip()), ['keyFrame 0', 'keyFrame 14', 'keyFrame 28']);
});

test('if the nearest key frame is more than 2 s away, the frame itself is used', () => {
  assert.deepEqual(summaryOf(clip({ keyFrames: [0] })), ['keyFrame 0', 'seek 15', 'seek 29.97']);
  assert.deepEqual(summaryOf(clip({ keyFrames: [0, 13, 27.97] })), ['keyFrame 0', 'keyFrame 13', 'keyFrame 27.97']);
  assert.deepEqual(summaryOf(clip({ keyFrames: [0, 12.9, 27.9] })), ['keyFrame 0', 'seek 15', 'seek 29.97']);
  assert.deepEqual(summaryOf(clip({ keyFrames: [] })), ['seek 0', 'seek 15', 'seek 29.97']);
});

test('a short clip shows three moments even if one key frame is near all of them', () => {
  assert.deepEqual(summaryOf(clip({ durationSec: 2, lastFrameSec: 1.97, keyFrames: [0] })), [
    'keyFrame 0',
    'seek 1',
    'seek 1.97',
  ]);
});

test('a clip of one frame has no moment past it', () => {
  assert.deepEqual(summaryOf(clip({ durationSec: 0.033, lastFrameSec: 0, keyFrames: [0] })), [
    'keyFrame 0',
    'seek 0',
    'seek 0',
  ]);
});

test('only an MP4 that states its start time is read without probing its pictures', () => {
  const startOf = (changes: Partial<Inspection>) => planFor(clip(changes)).startSec;
  assert.equal(startOf({ container: 'mp4', startSec: 0 }), 0);
  assert.equal(startOf({ container: 'mp4', startSec: 1.5 }), 1.5);
  assert.equal(startOf({ container: 'mp4' }), undefined, 'without a stated start');
  assert.equal(startOf({ container: 'mp4', startSec: -0.02 }), undefined);
  assert.equal(startOf({ container: 'webm', startSec: 0 }), undefined);
});

test('codecs are kept: WebM stays WebM, and others go to MP4 if it holds every track, otherwise to MOV', () => {
  const container = (source: string, ...codecs: string[]) =>
    planFor(clip({ container: source, tracks: tracksOf(...codecs) })).container;
  assert.equal(container('webm', 'vp9', 'opus'), 'webm');
  assert.equal(container('mp4', 'h264', 'aac'), 'mp4');
  assert.equal(container('mp4', 'av1', 'opus'), 'mp4');
  assert.equal(container('mp4', 'h264', 'pcm_s16le'), 'mov');
  assert.equal(container('mp4', 'h264', 'aac', 'pcm_s16le'), 'mov');
  assert.equal(container('mp4', 'prores'), 'mov');
  assert.equal(container('matroska', 'h264', 'opus'), 'mp4');
  assert.equal(container('matroska', 'hevc', 'pcm_s16le'), 'mov');
});

test('the sound ends with the clip, even if a file declares years', () => {
  assert.equal(planFor(clip()).audioSec, 31);
  assert.equal(planFor(clip({ durationSec: 3e9 })).audioSec, 1_800);
});

test('HEVC in MP4 is tagged as Apple’s players require it', () => {
  const hevc = clip({ container: 'mp4', videoCodec: 'hevc', audioCodec: 'aac', tracks: tracksOf('hevc', 'aac') });
  assert.equal(planFor(hevc).videoTag, 'hvc1');
  assert.equal(planFor(clip()).videoTag, undefined);
});
