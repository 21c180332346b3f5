import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clipsOf, summaryOf, type ZipkinSpan } from './traces.ts';

const span = (name: string, startSeconds: number, seconds: number, tags: Record<string, string> = {}): ZipkinSpan => ({
  traceId: 'a'.repeat(32),
  id: name,
  name,
  timestamp: startSeconds * 1e6,
  duration: seconds * 1e6,
  tags,
});

test('reads from a trace how long each step took and waited, and which failed', () => {
  const clip = [
    span('land', 10, 1, { 'recording.submission.id': 'clip', 'recording.end': 'landed' }),
    span('media job', 12, 3, { error: 'ffmpeg' }),
    span('media job', 20, 4),
    span('transcript job', 30, 9, { error: 'no answer' }),
    span('post /r/{token}/uploads', 9, 2),
  ];
  assert.deepEqual(clipsOf([[span('get', 1, 1)], clip]), [
    {
      traceId: 'a'.repeat(32),
      submissionId: 'clip',
      landedAt: 11_000,
      steps: [
        { name: 'landing', seconds: 1, waitedSeconds: 0, failed: false },
        { name: 'media', seconds: 4, waitedSeconds: 9, failed: false },
        { name: 'transcript', seconds: 9, waitedSeconds: 19, failed: true },
      ],
      missing: ['webhook'],
    },
  ]);
});

test('sorts the newest clip first', () => {
  const traces = [[span('land', 10, 1)], [span('land', 20, 1)]];
  assert.deepEqual(
    clipsOf(traces).map(({ landedAt }) => landedAt),
    [21_000, 11_000],
  );
});

test('a take that did not land has no missing steps', () => {
  const ends: Record<string, string>[] = [{ error: 'deadline' }, { 'recording.end': 'refused' }];
  for (const tags of ends) assert.deepEqual(clipsOf([[span('land', 10, 5, tags)]])[0]!.missing, []);
});

test('describes another trace by its first span, start, duration and failure', () => {
  const spans = [span('find uploads', 11, 3, { error: 'away' }), span('get /r/{token}', 10, 1)];
  assert.deepEqual(summaryOf(spans), {
    ...{ traceId: 'a'.repeat(32), name: 'get /r/{token}' },
    ...{ startedAt: 10_000, seconds: 4, failed: true },
  });
  assert.equal(summaryOf([]), undefined);
});
