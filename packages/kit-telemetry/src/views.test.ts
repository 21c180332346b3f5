import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { views } from './views.ts';

async function exported(measure: (provider: MeterProvider) => void) {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const provider = new MeterProvider({ views: views(), readers: [new PeriodicExportingMetricReader({ exporter })] });
  measure(provider);
  await provider.forceFlush();
  const metrics = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(scope => scope.metrics));
  await provider.shutdown();
  return metrics.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints.map(({ value }) => value)]);
}

test('a count of one is exported as one', async () => {
  const landed = (provider: MeterProvider) =>
    provider
      .getMeter('recording-request')
      .createCounter('recording.uploads.landed')
      .add(1, { 'recording.end': 'landed' });
  assert.deepEqual(await exported(landed), [['recording.uploads.landed', [1]]]);
});

test('metrics of libraries that the registry does not list are not sent', async () => {
  const connections = (provider: MeterProvider) =>
    provider
      .getMeter('@opentelemetry/instrumentation-undici')
      .createHistogram('http.client.request.duration')
      .record(1);
  assert.deepEqual(await exported(connections), []);
});
