/** Runs the bounded part of `npm run load`: a few contributors at a low rate, with the command's own functions. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { serverVariables } from '@recording-request/testing/environment';
import { TIMED } from '../src/measure/tally.ts';
import { runLoad } from '../src/run-load.ts';

const LIMIT_MS = 180_000;

test('a step keeps every promise, and every operation is timed', { timeout: LIMIT_MS }, async t => {
  const dir = await mkdtemp(join(tmpdir(), 'recording-request-load-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const options = { minutes: 0.15, steps: [50], capacity: 80 };
  const place = { serversEnv: serverVariables(), dir, seed: 4, signal: t.signal, log: () => {} };
  const { steps, verdicts } = await runLoad(options, place);
  assert.deepEqual(
    // Other tests use the machine at the same time, so this test ignores durations.
    verdicts.filter(({ state, promise }) => state === 'broken' && !promise.includes('within')),
    [],
    'a promise was broken',
  );
  const [{ clips, tally }] = steps as [(typeof steps)[number]];
  assert.ok(clips > 0, 'no contributor arrived');
  const unread = ['owner: video range', 'owner: thumbnail'];
  const missing = TIMED.filter(name => !tally.latencies[name] && !unread.includes(name));
  assert.deepEqual(missing, [], 'operations without a latency');
  for (const { p50, p99 } of Object.values(tally.latencies)) assert.ok(p50 >= 0 && p99 >= p50);
});
