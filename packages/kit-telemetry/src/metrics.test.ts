import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  type DataPoint,
  InMemoryMetricExporter,
  MeterProvider,
} from '@opentelemetry/sdk-metrics';
import { PushReader } from './readers.ts';
import { views } from './views.ts';

const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PushReader({ exporter, exportIntervalMillis: 3_600_000 });
const provider = new MeterProvider({ readers: [reader], views: views() });
metrics.setGlobalMeterProvider(provider);
after(() => provider.shutdown());
// Import this only after the SDK has started, because an instrument belongs to the provider that exists when the code
// creates the instrument.
const { observe, reportOf } = await import('./metrics.ts');
const { measureRequest } = await import('./peers.ts');

async function pointsOf(name: string): Promise<DataPoint<unknown>[]> {
  const { resourceMetrics } = await reader.collect();
  const all = resourceMetrics.scopeMetrics.flatMap(scope => scope.metrics);
  return all.filter(metric => metric.descriptor.name === name).flatMap(metric => metric.dataPoints as never);
}
const valuesOf = async (name: string) =>
  (await pointsOf(name)).map(({ value, attributes }) => [value, attributes] as const);

test('readings of several instances are added, a failed reading is left out, and an ended one is dropped', async () => {
  const slot = { 'recording.slot.kind': 'media' };
  const ends = [
    observe('recording.slots.used', () => [[2, slot]]),
    observe('recording.slots.used', async () => [[3, slot]]),
    observe('recording.slots.used', () => {
      throw new Error('the reading failed');
    }),
  ];
  assert.deepEqual(await valuesOf('recording.slots.used'), [[5, slot]]);
  ends[0]!();
  assert.deepEqual(await valuesOf('recording.slots.used'), [[3, slot]]);
  for (const end of ends) end();
  assert.deepEqual(await valuesOf('recording.slots.used'), []);
});

test('a process drops a figure that it no longer reports', async t => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const report = reportOf('recording.outbox.depth');
  report(7, {});
  assert.deepEqual(await valuesOf('recording.outbox.depth'), [[7, {}]]);
  report.end();
  assert.deepEqual(await valuesOf('recording.outbox.depth'), []);
  report(8, {});
  now = 61_000;
  assert.deepEqual(await valuesOf('recording.outbox.depth'), []);
});

test('a request is measured by its peer; a library’s metric of the same name is left out', async () => {
  metrics
    .getMeter('@opentelemetry/instrumentation-undici')
    .createHistogram('http.client.request.duration')
    .record(1, { 'http.request.method': 'GET', 'server.address': 'secret.example' });
  const cases = [
    ['store', 200, { 'recording.peer': 'store', 'http.response.status_code': '200' }],
    ['store', 404, { 'recording.peer': 'store', 'http.response.status_code': '404' }],
    ['store', 503, { 'recording.peer': 'store', 'http.response.status_code': '503', 'error.type': '503' }],
    ['endpoint', 404, { 'recording.peer': 'endpoint', 'http.response.status_code': '404', 'error.type': '404' }],
    ['endpoint', 987, { 'recording.peer': 'endpoint', 'http.response.status_code': '_OTHER', 'error.type': '_OTHER' }],
    ['speech', 'timeout', { 'recording.peer': 'speech', 'error.type': 'timeout' }],
  ] as const;
  for (const [peer, end] of cases) measureRequest(peer)(end);
  measureRequest('store')('cancelled');
  const found = await pointsOf('http.client.request.duration');
  assert.deepEqual(
    found.map(({ attributes }) => attributes),
    cases.map(([, , attributes]) => attributes),
  );
});

test('the age of the oldest waiting request shows that a peer does not answer', async t => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const ageOf = async () =>
    (await valuesOf('recording.peer.age')).find(([, attributes]) => attributes['recording.peer'] === 'speech')?.[0];
  const first = measureRequest('speech');
  now = 40_000;
  const second = measureRequest('speech');
  now = 70_000;
  assert.equal(await ageOf(), 70);
  first(500);
  first('cancelled');
  assert.equal(await ageOf(), 30);
  second('timeout');
  assert.equal(await ageOf(), 0);
});
