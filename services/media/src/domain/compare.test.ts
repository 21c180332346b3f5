import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differences } from './compare.ts';
import { inspectionOf } from './inspection.ts';
import { type Scan, type StreamScan, StreamTally } from './scan.ts';

const video: StreamScan = {
  ...{ stream: 0, kind: 'video', codec: 'h264', width: 640, height: 360, attachedPicture: false, channels: 0 },
  ...{
    packets: 100,
    bytes: 50_000,
    hidden: 0,
    descriptions: 1,
    firstSec: 0,
    lastSec: 3.96,
    endSec: 4,
    openEnd: false,
    overtaken: 3,
    keyFrames: [0, 2],
  },
  looks: ['turn 0 65536 0 -65536 0 0 0 0 1073741824', 'pixels 4:3', 'color_space bt709'],
};
const audio: StreamScan = {
  ...{ stream: 1, kind: 'audio', codec: 'aac', width: 0, height: 0, attachedPicture: false, channels: 1 },
  ...{ packets: 200, bytes: 9_000, hidden: 0, descriptions: 1, firstSec: 0, lastSec: 3.98, endSec: 4 },
  ...{ openEnd: false, overtaken: 0, keyFrames: [] },
  looks: [],
};
const scan = (changes: Partial<Scan> = {}): Scan => ({
  ...{ format: 'mov,mp4', startSec: 0, headerDurationSec: 4, streams: [video, audio], readApart: false },
  ...changes,
});
const phrasesOf = (streams: StreamScan[], changes: Partial<Scan> = {}, of: StreamScan[] = [video, audio]) =>
  differences(inspectionOf(scan({ streams: of }))!, scan({ streams, ...changes })).map(one => one.phrase);

test('a copy with all the same facts is equal', () => {
  assert.deepEqual(phrasesOf([video, audio]), []);
  assert.deepEqual(phrasesOf([{ ...video, looks: [...video.looks, 'color_range pc'] }, audio]), [], 'stated besides');
});

test('a copy differs by its rotation, its pixel shape and its colours, each by name', () => {
  const without = (look: string) =>
    phrasesOf([{ ...video, looks: video.looks.filter(one => !one.startsWith(look)) }, audio]);
  assert.deepEqual(without('turn'), ['its turn']);
  assert.deepEqual(without('pixels'), ['its pixel shape']);
  assert.deepEqual(without('color_space'), ['its colours']);
  assert.deepEqual(phrasesOf([video, audio], {}, [{ ...video, looks: video.looks.slice(1) }, audio]), ['its turn']);
});

test('a copy differs where packets, a track, a description, time or its stated length are missing', () => {
  assert.deepEqual(phrasesOf([video, { ...audio, packets: 199 }]), ['its sound']);
  assert.deepEqual(phrasesOf([{ ...video, packets: 99 }, audio]), ['its picture']);
  assert.deepEqual(phrasesOf([{ ...video, codec: 'hevc' }, audio]), ['its picture']);
  assert.deepEqual(phrasesOf([video]), ['a track of audio']);
  assert.deepEqual(phrasesOf([video, audio], {}, [video, audio, { ...audio, stream: 2 }]), ['a track of audio']);
  assert.deepEqual(phrasesOf([video, audio], {}, [{ ...video, descriptions: 2 }, audio]), ['a change of its format']);
  assert.deepEqual(phrasesOf([video, { ...audio, firstSec: 0.5 }]), ['its sound']);
  assert.deepEqual(phrasesOf([video, audio], { headerDurationSec: undefined }), ['its stated length']);
  assert.deepEqual(phrasesOf([]), ['its picture']);
  const nameless = { ...audio, codec: '' };
  assert.ok(phrasesOf([video, nameless], {}, [video, nameless]).includes('its sound'));
});

test('a copy may lack only the last packet of a sound whose duration the upload does not state', () => {
  const shorter = { ...audio, packets: 199, endSec: 3.98 };
  assert.deepEqual(phrasesOf([video, shorter], {}, [video, { ...audio, openEnd: true }]), []);
  assert.deepEqual(phrasesOf([video, shorter]), ['its sound']);
  assert.deepEqual(phrasesOf([video, { ...shorter, endSec: 4 }], {}, [video, { ...audio, openEnd: true }]), [
    'its sound',
  ]);
  const openVideo = { ...video, openEnd: true };
  assert.deepEqual(phrasesOf([{ ...video, packets: 99, endSec: 3.96 }, audio], {}, [openVideo, audio]), [
    'its picture',
  ]);
});

test('an upload whose times restart differs; pictures out of order and equal times do not', () => {
  const same = (...streams: StreamScan[]) => phrasesOf(streams, {}, streams);
  const restart = ['the parts whose times restart'];
  assert.deepEqual(same({ ...video, overtaken: 16 }, audio), []);
  assert.deepEqual(same({ ...video, overtaken: 17 }, audio), restart);
  assert.deepEqual(same({ ...video, codec: 'vp8', overtaken: 1 }, audio), restart);
  assert.deepEqual(same(video, { ...audio, overtaken: 1 }), restart);
  const overtaken = (times: number[]) => {
    const tally = new StreamTally();
    for (const sec of times)
      tally.add({ sec, durationSec: 0.04, bytes: 9, key: sec === 0, discarded: false, described: false });
    return tally.overtaken;
  };
  assert.equal(overtaken([0, 0.04, 0.04, 0.08]), 0);
  assert.equal(overtaken([0, 0.16, 0.08, 0.04, 0.12]), 2);
});

test('a copy that shows packets hidden by an edit list differs', () => {
  const uncut = { ...video, packets: 150, lastSec: 5.96, endSec: 6 };
  assert.deepEqual(phrasesOf([uncut, audio], { headerDurationSec: 6 }), ['the cuts in it', 'its length']);
});

test('raw sound in other packets is equal if its bytes are', () => {
  const raw = { ...audio, codec: 'pcm_s16le' };
  assert.deepEqual(phrasesOf([video, { ...raw, packets: 3 }], {}, [video, raw]), []);
  assert.deepEqual(phrasesOf([video, { ...raw, bytes: 8_998 }], {}, [video, raw]), ['its sound']);
});
