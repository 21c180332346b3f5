import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Inspection } from './inspection.ts';
import { planFor, thumbnailMoments } from './plan.ts';

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

test('where the nearest key frame is more than 2 s away, the frame itself is taken', () => {
  assert.deepEqual(summaryOf(clip({ keyFrames: [0] })), ['keyFrame 0', 'seek 15', 'seek 29.97']);
  assert.deepEqual(summaryOf(clip({ keyFrames: [0, 13, 27.97] })), ['keyFrame 0', 'keyFrame 13', 'keyFrame 27.97']);
  assert.deepEqual(summaryOf(clip({ keyFrames: [0, 12.9, 27.9] })), ['keyFrame 0', 'seek 15', 'seek 29.97']);
  assert.deepEqual(summaryOf(clip({ keyFrames: [] })), ['seek 0', 'seek 15', 'seek 29.97']);
});

test('a short clip shows three moments though one key frame is near to all', () => {
  assert.deepEqual(summaryOf(clip({ durationSec: 2, lastFrameSec: 1.97, keyFrames: [0] })), [
    'keyFrame 0',
    'seek 1',
    'seek 1.97',
  ]);
});

test('a clip of one frame asks for no moment past it', () => {
  assert.deepEqual(summaryOf(clip({ durationSec: 0.033, lastFrameSec: 0, keyFrames: [0] })), [
    'keyFrame 0',
    'seek 0',
    'seek 0',
  ]);
});

test('only an MP4 that says where its times begin is not looked into for its pictures', () => {
  const startOf = (changes: Partial<Inspection>) => planFor(clip(changes)).startSec;
  assert.equal(startOf({ container: 'mp4', startSec: 0 }), 0);
  assert.equal(startOf({ container: 'mp4', startSec: 1.5 }), 1.5);
  assert.equal(startOf({ container: 'mp4' }), undefined, 'one that an older version inspected');
  assert.equal(startOf({ container: 'mp4', startSec: -0.02 }), undefined);
  assert.equal(startOf({ container: 'webm', startSec: 0 }), undefined);
});

test('codecs are kept: each source gets a container that can hold them', () => {
  const container = (source: string, videoCodec: string, audioCodec: string) =>
    planFor(clip({ container: source, videoCodec, audioCodec, hasAudio: audioCodec !== '' })).container;
  assert.equal(container('webm', 'vp9', 'opus'), 'webm');
  assert.equal(container('mp4', 'h264', 'aac'), 'mp4');
  assert.equal(container('mp4', 'av1', 'opus'), 'mp4');
  assert.equal(container('mp4', 'h264', 'pcm_s16le'), 'matroska');
  assert.equal(container('mp4', 'mjpeg', ''), 'matroska');
  assert.equal(container('matroska', 'h264', 'opus'), 'matroska');
});

test('sound that is AAC is copied, other sound is encoded, and no sound is none', () => {
  assert.equal(planFor(clip({ container: 'mp4', videoCodec: 'h264', audioCodec: 'aac' })).audio, 'copy');
  assert.equal(planFor(clip()).audio, 'encode');
  assert.equal(planFor(clip({ hasAudio: false, audioCodec: '' })).audio, 'none');
});

test('HEVC in MP4 is tagged as Apple’s players want it', () => {
  assert.equal(planFor(clip({ container: 'mp4', videoCodec: 'hevc', audioCodec: 'aac' })).videoTag, 'hvc1');
  assert.equal(planFor(clip({ container: 'matroska', videoCodec: 'hevc', audioCodec: 'aac' })).videoTag, undefined);
});
