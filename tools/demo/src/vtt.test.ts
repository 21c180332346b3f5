import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cuesOf } from './vtt.ts';

test('parses cues with their times, with and without names and hours', () => {
  const vtt =
    'WEBVTT\n\nNOTE made here\n\n1\n00:01.500 --> 00:02.250\nhello\nthere\n\n01:00:00.000 --> 01:00:01.000 line:0\nlate\n';
  assert.deepEqual(cuesOf(vtt), [
    { start: 1.5, end: 2.25, text: 'hello there' },
    { start: 3600, end: 3601, text: 'late' },
  ]);
});

test('returns no cues for a file without them, and refuses other formats', () => {
  assert.deepEqual(cuesOf('WEBVTT\n'), []);
  assert.throws(() => cuesOf('1\n00:00.000 --> 00:01.000\nhello'), /begins with WEBVTT/);
  assert.throws(() => cuesOf('WEBVTT\n\nhello'), /no times/);
});
