/** Runs the bounded part of `npm run media-matrix`: at least one row of each kind. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openScratch } from '@recording-request/harness/scratch';
import { CACHE } from './src/clip/make-clip.ts';
import { boundedRows } from './src/rows/all.ts';
import { type Pipeline, startPipeline } from './src/run/pipeline.ts';
import { runRow } from './src/run/run-row.ts';

const ROW_MS = 60_000;

const ended = new AbortController();
const opened = new AsyncDisposableStack();
let scratch = '';
let pipeline: Pipeline;

before(async () => {
  scratch = opened.use(await openScratch('matrix')).path;
  pipeline = opened.use(await startPipeline(scratch, ended.signal));
});
after(async () => {
  ended.abort(new Error('the tests are over'));
  await opened.disposeAsync();
});

describe('the media of a clip equals the clip', () => {
  for (const row of boundedRows())
    test(row.name, { timeout: ROW_MS }, async () => {
      const place = { pipeline, cache: CACHE, dir: scratch, signal: ended.signal };
      const { verdict, reason, mismatches } = await runRow(row, place);
      assert.deepEqual(mismatches, [], `${verdict} ${reason}`);
    });
});
