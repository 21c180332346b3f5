import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cuesOf, toVtt, wholeClip } from './vtt.ts';

const segment = (startSec: number, endSec: number, text: string) => ({ startSec, endSec, text });

test('cues are written as WebVTT', () => {
  const cues = cuesOf([segment(0.5, 2.25, ' Hello there. '), segment(3661.001, 3662, 'Bye.')], 0);
  assert.equal(
    toVtt(cues),
    'WEBVTT\n\n00:00:00.500 --> 00:00:02.250\nHello there.\n\n01:01:01.001 --> 01:01:02.000\nBye.\n',
  );
  assert.equal(toVtt([]), 'WEBVTT\n');
});

test('no text can end a cue, begin another or mark itself up', () => {
  const vtt = toVtt(cuesOf([segment(0, 1, 'a\n\n00:00:09.000 --> 00:00:10.000\nb <i>c</i> & d\0')], 2));
  assert.equal(vtt.match(/-->/g)?.length, 1);
  assert.equal(vtt.split('\n\n').length, 2);
  assert.match(vtt, /^a 00:00:09\.000 --&gt; 00:00:10\.000 b &lt;i&gt;c&lt;\/i&gt; &amp; d$/m);
});

test('whatever times a provider gives, cues follow one another within the clip', () => {
  const wild = [
    segment(4, 3, 'backwards'),
    segment(Number.NaN, Number.POSITIVE_INFINITY, 'without times'),
    segment(-2, 0.4, 'before the start'),
    segment(0.2, 0.9, 'overlapping'),
    segment(9, 99, 'past the end'),
    segment(50, 60, 'far past the end'),
    segment(2, 3, '   '),
  ];
  const cues = cuesOf(wild, 10);
  assert.equal(cues.length, 6);
  for (const [at, { startMs, endMs }] of cues.entries()) {
    assert.ok(startMs < endMs);
    assert.ok(at === 0 || startMs >= cues[at - 1]!.endMs);
  }
  assert.ok(cues[0]!.startMs >= 0);
  assert.deepEqual(
    cues.map(({ text }) => text).filter(text => text.includes('past')),
    ['past the end', 'far past the end'],
  );
});

test('a text without times is one cue over the clip', () => {
  assert.deepEqual(wholeClip('all of it', 12.5), [{ startMs: 0, endMs: 12_500, text: 'all of it' }]);
  assert.deepEqual(wholeClip(' ', 12.5), []);
  assert.equal(wholeClip('unknown length', 0).length, 1);
});
