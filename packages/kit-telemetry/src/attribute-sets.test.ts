import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DataPoint, type Histogram, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { attributeSets, keepHashes } from './attribute-sets.ts';

class OnDemand extends MetricReader {
  protected onForceFlush = async () => {};
  protected onShutdown = async () => {};
}

await keepHashes();
const reader = new OnDemand();
const histogram = new MeterProvider({ readers: [reader] }).getMeter('test').createHistogram('duration');

async function counts() {
  const { resourceMetrics } = await reader.collect();
  const points = resourceMetrics.scopeMetrics[0]!.metrics[0]!.dataPoints as DataPoint<Histogram>[];
  return points.map(({ attributes, value }) => [{ ...attributes }, value.count] as const);
}

test('attributes that are kept are read once however often they are measured by, and share a series with their equals', async () => {
  let reads = 0;
  const sets = attributeSets<{ a: string; b: string }>();
  const make = () => ({
    get a() {
      reads += 1;
      return 'x';
    },
    b: 'y',
  });
  histogram.record(1, sets('xy', make));
  // One to find the series, one to keep it there.
  const first = reads;
  for (let each = 0; each < 8; each += 1) histogram.record(1, sets('xy', make));
  assert.equal(reads, first, 'the SDK that is installed takes the hash that was kept');
  histogram.record(1, { b: 'y', a: 'x' });
  histogram.record(
    1,
    sets('zy', () => ({ a: 'z', b: 'y' })),
  );
  const expected = [
    [{ a: 'x', b: 'y' }, 10],
    [{ a: 'z', b: 'y' }, 1],
  ];
  assert.deepEqual(await counts(), expected);
  assert.equal(sets('xy', make), sets('xy', make));
  histogram.record(1, sets('xy', make));
  assert.deepEqual((await counts())[0], [{ a: 'x', b: 'y' }, 11], 'nor does a collection part them');
});
