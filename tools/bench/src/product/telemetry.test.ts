import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '@recording-request/testing/wait';
import type { Bench } from '../row.ts';
import { startCollector } from './telemetry.ts';

test('the benchmark’s collector accepts every signal and reports when all have come; a slow one answers nothing in time', async t => {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'bench-collector-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const bench = { signal: t.signal, peers: { place: { dir, env: process.env } } } as unknown as Bench;
  const collector = await startCollector('collector', bench, stack);
  const url = (signal: string, of = collector) => `${of.env.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/${signal}`;
  let hasCome = false;
  const coming = collector.came().then(() => {
    hasCome = true;
  });
  const send = async (signal: string) => (await fetch(url(signal), { method: 'POST', body: 'spans' })).status;
  assert.deepEqual([await send('traces'), await send('logs'), await send('nothing')], [200, 200, 404]);
  assert.equal(hasCome, false, 'metrics have not come yet');
  assert.equal(await send('metrics'), 200);
  await coming;

  const slow = await startCollector('collector-slow', bench, stack, true);
  const given = new AbortController();
  const late = fetch(url('traces', slow), { method: 'POST', body: 'spans', signal: given.signal });
  const counts = `${slow.env.OTEL_EXPORTER_OTLP_ENDPOINT}/counts`;
  await until('it has the body', async () => ((await (await fetch(counts)).json()) as { traces: number }).traces > 0);
  given.abort();
  await assert.rejects(late, { name: 'AbortError' });
});
