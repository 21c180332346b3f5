import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ExportFormat,
  type ExportsServiceServer,
  ExportsServiceService,
} from '@recording-request/proto/exports/v1/exports';
import { clip } from './stored-clips.ts';
import { startTestSubmissions } from './test-service.ts';

/** More text than the buffers of a connection hold. */
const CLIPS = 300;
const DRAIN_SECONDS = 1;

test('a stop lets exports run as long as uploads: until ten seconds before its time limit', async () => {
  await using harness = await startTestSubmissions({ STOP_GRACE_SECONDS: String(10 + DRAIN_SECONDS) });
  const { ownerId, landed } = harness;
  const { projectId } = await harness.project();
  await landed.insertMany(Array.from({ length: CLIPS }, (_, index) => clip(index, { projectId, ownerId })));
  const exports = harness.client<ExportsServiceServer>(ExportsServiceService);
  const format = ExportFormat.EXPORT_FORMAT_TRANSCRIPTS;
  const paused = exports.export({ ownerId, projectId, format, includeLinks: false })[Symbol.asyncIterator]();
  await paused.next();
  const began = performance.now();
  await harness.stop();
  const seconds = (performance.now() - began) / 1_000;
  assert.ok(seconds >= DRAIN_SECONDS && seconds < 9, `${seconds} s`);
  await assert.rejects(async () => {
    while (!(await paused.next()).done);
  });
});
