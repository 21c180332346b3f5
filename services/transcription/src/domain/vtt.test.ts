import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toVtt } from './vtt.ts';

test('cues are written as WebVTT', () => {
  const cues = [
    { startMs: 500, endMs: 2_250, text: 'Hello\nthere.' },
    { startMs: 3_661_001, endMs: 3_662_000, text: 'Bye.' },
  ];
  assert.equal(
    toVtt(cues),
    'WEBVTT\n\n00:00:00.500 --> 00:00:02.250\nHello\nthere.\n\n01:01:01.001 --> 01:01:02.000\nBye.\n',
  );
  assert.equal(toVtt([]), 'WEBVTT\n');
});

test('no text can start another cue or add markup', () => {
  const vtt = toVtt([{ startMs: 0, endMs: 1_000, text: 'a 00:09.000 --> 00:10.000\nb <i>c</i> & &lt;' }]);
  assert.equal(
    vtt,
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\na 00:09.000 --&gt; 00:10.000\nb &lt;i&gt;c&lt;/i&gt; &amp; &amp;lt;\n',
  );
});
