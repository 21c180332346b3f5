import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OBJECTIVES } from '../definitions/objectives.ts';
import { styleOf } from './series.ts';

const SHARE_A_PANEL = [
  ['gateway', 'projects', 'submissions', 'media', 'transcription', 'webhooks'],
  ['store', 'speech', 'endpoint', 'database', 'kafka', 'ffmpeg'],
  OBJECTIVES.map(({ name }) => name),
  ['landing', 'media', 'transcript', 'webhook'],
  ['processing', 'ready', 'media_failed', 'transcribing', 'transcribed', 'transcript_failed', 'uploading', 'finishing'],
  ['landed', 'refused', 'retried', 'failed', 'lost'],
  ['ok', 'failed', 'again', 'new', 'killed'],
  ['ok', 'failing', 'paused'],
  ['200', '201', '204', '404', '500', '503'],
  ['median', '95 of 100 are quicker'],
  ['ffmpeg', 'ffprobe'],
];

test('lines that share a panel have different hues, which depend on their names alone', () => {
  for (const names of SHARE_A_PANEL)
    assert.equal(new Set(names.map(name => styleOf(name).hue)).size, names.length, names.join(', '));
});

test('a failure is red, and a success is not', () => {
  const isRed = (name: string) => styleOf(name).hue <= 30 || styleOf(name).hue >= 330;
  assert(['failed', '500'].every(isRed));
  assert(!['ok', 'landed', 'ready', 'transcribed', '200', '201', '204'].some(isRed));
});
