import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspectionOf, thinned } from './inspection.ts';
import { type Packet, type Scan, type StreamScan, StreamTally } from './scan.ts';

const packet = (sec: number | undefined, changes: Partial<Packet> = {}): Packet => ({
  sec,
  durationSec: 0.04,
  bytes: 100,
  key: false,
  discarded: false,
  described: false,
  ...changes,
});

function stream(kind: string, codec: string, packets: Packet[]): StreamScan {
  const tally = new StreamTally();
  for (const one of packets) tally.add(one);
  const isVideo = kind === 'video';
  return {
    ...{ stream: isVideo ? 0 : 1, kind, codec, attachedPicture: false, channels: isVideo ? 0 : 1, looks: [] },
    ...(isVideo ? { width: 640, height: 360 } : { width: 0, height: 0 }),
    ...tally.statistics(),
  };
}

const frames = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => packet(from + at * 0.04, { key: at % 25 === 0 }));
const video = stream('video', 'vp8', frames(0.01, 100));
const audio = stream(
  'audio',
  'opus',
  Array.from({ length: 200 }, (_, at) => packet(-0.002 + at * 0.02, { key: true, durationSec: 0.02 })),
);
const scan = (changes: Partial<Scan> = {}): Scan => ({
  format: 'matroska,webm',
  startSec: -0.002,
  headerDurationSec: undefined,
  streams: [video, audio],
  readApart: false,
  ...changes,
});

test('a gap does not lengthen a last packet of unknown length', () => {
  const flac = stream(
    'audio',
    'flac',
    [0, 0.1, 0.2, 3, 3.1].map(sec => packet(sec, { key: true, durationSec: undefined })),
  );
  assert.equal(inspectionOf(scan({ startSec: 0, streams: [video, flac] }))?.tracks[1]?.endSec, 3.2);
});

test('a live recording has the length of its packets, and times count from its start', () => {
  assert.deepEqual(inspectionOf(scan()), {
    container: 'webm',
    durationSec: 4.012,
    hasAudio: true,
    videoCodec: 'vp8',
    audioCodec: 'opus',
    width: 640,
    height: 360,
    keyFrames: [0.012, 1.012, 2.012, 3.012],
    lastFrameSec: 3.972,
    videoPackets: 100,
    audioPackets: 200,
    startSec: -0.002,
    tracks: [
      {
        ...{ stream: 0, kind: 'video', codec: 'vp8', packets: 100, bytes: 10_000, startSec: 0.012, endSec: 4.012 },
        ...{ descriptions: 1, channels: 0, looks: [] },
      },
      {
        ...{ stream: 1, kind: 'audio', codec: 'opus', packets: 200, bytes: 20_000, startSec: 0, endSec: 4 },
        ...{ descriptions: 1, channels: 1, looks: [] },
      },
    ],
  });
});

test('a track without packets does not count as sound', () => {
  const found = inspectionOf(scan({ streams: [video, stream('audio', 'opus', [])] }));
  assert.equal(found?.hasAudio, false);
  assert.equal(found?.audioCodec, '');
});

test('a file with only sound, a cover picture, a video without packets, or an empty file is not a video', () => {
  assert.equal(inspectionOf(scan({ streams: [audio] })), undefined);
  assert.equal(inspectionOf(scan({ streams: [audio, { ...video, attachedPicture: true }] })), undefined);
  assert.equal(inspectionOf(scan({ streams: [stream('video', 'vp8', [])] })), undefined);
  assert.equal(inspectionOf(scan({ streams: [{ ...video, codec: '' }] })), undefined);
  assert.equal(inspectionOf(scan({ format: '', streams: [] })), undefined);
});

test('packets before the first key frame and packets hidden by an edit list do not count', () => {
  const found = stream('video', 'vp8', [packet(0), packet(0.04), ...frames(0.08, 10)]);
  assert.equal(found.packets, 10);
  assert.equal(found.firstSec, 0.08);
  const hidden = stream('audio', 'aac', [packet(-0.02, { discarded: true, key: true }), ...frames(0, 5)]);
  assert.equal(hidden.packets, 5);
  assert.equal(hidden.firstSec, 0);
});

test('frames out of order end with the last shown one; a frame without a duration lasts as long as the others', () => {
  const reordered = stream('video', 'h264', [packet(0, { key: true }), packet(0.12), packet(0.04), packet(0.08)]);
  assert.equal(reordered.lastSec, 0.12);
  const bare = [0, 0.04, 0.08].map(sec => packet(sec, { key: sec === 0, durationSec: undefined }));
  assert.equal(stream('video', 'vp8', bare).endSec, 0.12);
  assert.equal(stream('video', 'vp8', [packet(undefined, { key: true })]).endSec, undefined);
});

test('key frames are thinned evenly to a thousand, including the first and the last', () => {
  const many = thinned(
    Array.from({ length: 18_000 }, (_, at) => at),
    1_000,
  );
  assert.equal(many.length, 1_000);
  assert.equal(many[0], 0);
  assert.equal(many.at(-1), 17_999);
});

test('if the codec of the first sound is unknown, the next one is the sound, and both are tracks', () => {
  const nameless = { ...audio, codec: '' };
  const found = inspectionOf(scan({ streams: [video, nameless, { ...audio, stream: 2, codec: 'aac' }] }))!;
  assert.deepEqual([found.hasAudio, found.audioCodec], [true, 'aac']);
  assert.deepEqual(
    found.tracks.map(({ codec }) => codec),
    ['vp8', '', 'aac'],
  );
  assert.equal(inspectionOf(scan({ streams: [video, nameless] }))!.hasAudio, true, 'sound may be lost');
});
