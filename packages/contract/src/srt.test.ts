import assert from 'node:assert/strict';
import { test } from 'node:test';
import { srtOf } from './srt.ts';

test('cues keep their times and lines, and are numbered', () => {
  const vtt =
    'WEBVTT\n\n00:00:00.500 --> 00:00:02.250\nHello\nthere.\n\n101:01:01.001 --> 101:01:02.000\nBye.\n\n01:02.003 --> 01:04.005\n日本\n';
  assert.equal(
    srtOf(vtt),
    '1\n00:00:00,500 --> 00:00:02,250\nHello\nthere.\n\n2\n101:01:01,001 --> 101:01:02,000\nBye.\n\n3\n00:01:02,003 --> 00:01:04,005\n日本\n',
  );
});

test('text is unescaped, and its arrows do not look like those of times', () => {
  const vtt = 'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n00:09.000 --&gt; 00:10.000\n1 &lt; 2 &amp;amp; &amp;lt;i&gt;\n';
  assert.equal(srtOf(vtt), '1\n00:00:00,000 --> 00:00:01,000\n00:09.000 → 00:10.000\n1 < 2 &amp; &lt;i>\n');
});

test('a transcript without words is an empty file', () => {
  for (const vtt of ['', 'WEBVTT', 'WEBVTT\n', 'WEBVTT\n\nno times']) assert.equal(srtOf(vtt), '');
});
