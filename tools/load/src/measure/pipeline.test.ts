import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WebhookBodyJson } from '@recording-request/contract/webhook';
import { createPipeline } from './pipeline.ts';
import { createTally } from './tally.ts';

const event = (type: string, submissionId = 's1') =>
  ({
    type,
    data: { projectId: 'p1', submission: { submissionId, videoUrl: 'v', thumbnailMiddleUrl: 't' } },
  }) as unknown as WebhookBodyJson;

test('a clip is complete with its last event, and each stage is timed from its landing', async () => {
  const [pipeline, tally] = [createPipeline(), createTally()];
  pipeline.received(event('submission.completed'), 990);
  assert.equal(pipeline.pending(), 0, 'an event before the HTTP response does not count as a waiting clip');
  const through = pipeline.landed('s1', 1_000, tally);
  pipeline.received(event('submission.media.completed'), 1_300);
  pipeline.received(event('submission.media.completed'), 9_000);
  assert.equal(pipeline.pending(), 1);
  assert.deepEqual(pipeline.waiting(), { webhook: 0, processed: 0, transcript: 1 });
  pipeline.received(event('submission.transcript.completed'), 2_000);
  await through;
  assert.deepEqual([pipeline.pending(), pipeline.finished, pipeline.clips.length], [0, 1, 2]);
  const { latencies } = tally.read();
  const found = ['landed → webhook', 'landed → processed', 'landed → transcript'] as const;
  assert.deepEqual(
    found.map(name => latencies[name]!.p50),
    [0, 300, 1_000],
  );
});
