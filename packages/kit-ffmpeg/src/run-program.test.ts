import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { metrics } from '@opentelemetry/api';
import { type DataPoint, type Histogram, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { until } from '@recording-request/testing/wait';
import type { Sandbox } from './sandbox.ts';

class OnDemand extends MetricReader {
  protected onForceFlush = async () => {};
  protected onShutdown = async () => {};
}
const reader = new OnDemand();
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
// Imported after the SDK starts, because an instrument belongs to the provider that exists when the instrument is made.
const { runProgram } = await import('./run-program.ts');

/** Runs a script in place of the program, without limits. */
function run(script: string) {
  const commandOf = () => ({ command: 'sh', args: ['-c', script] });
  const sandbox = { commandOf, cpuSeconds: { ffprobe: 60 } } as unknown as Sandbox;
  const options = { signal: AbortSignal.timeout(30_000), sandbox };
  return runProgram('ffprobe', [], options, { span: 'ffprobe', purpose: 'frame' });
}

/** Returns the number of runs by outcome. */
async function outcomes(): Promise<Record<string, number>> {
  const { resourceMetrics } = await reader.collect();
  const points = resourceMetrics.scopeMetrics
    .flatMap(scope => scope.metrics)
    .filter(({ descriptor }) => descriptor.name === 'recording.ffmpeg.duration')
    .flatMap(({ dataPoints }) => dataPoints as DataPoint<Histogram>[]);
  return Object.fromEntries(
    points.map(({ attributes, value }) => [String(attributes['recording.outcome']), value.count]),
  );
}

test('a program that is killed because its reader stops has not failed; one that exits with a status has', async () => {
  {
    using running = run('echo a picture; exec tail -f /dev/null');
    await once(running.stdout, 'data');
  }
  await until('the first run has ended', async () => (await outcomes()).ok === 1);
  assert.equal(await run('exit 3').end(), 3);
  assert.deepEqual(await outcomes(), { ok: 1, failed: 1 });
});
