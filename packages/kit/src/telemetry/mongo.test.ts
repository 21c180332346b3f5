import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { askedFields, type Command, mongoSpans, withoutMetrics } from './mongo.ts';

test('a command is told by the fields that it asks for, and by no value', () => {
  const commands: Command[] = [
    { find: 'clips', filter: { ownerId: 'o', _id: { $gt: 'a' } } },
    { findAndModify: 'clips', query: { _id: 'a' }, update: { $set: { note: 'secret' } } },
    { update: 'clips', updates: [{ q: { _id: 'a' }, u: { $set: { note: 'secret' } } }] },
    { delete: 'clips', deletes: [{ q: { _id: 'a' } }] },
    { aggregate: 'clips', pipeline: [{ $match: { projectId: 'p' } }, { $sort: { _id: 1 } }] },
    { aggregate: 'clips', pipeline: [{ $count: 'n' }] },
    // What the instrumentation passes of an insert: the first document.
    { _id: 'a', note: 'secret' },
  ] as object[];
  assert.deepEqual(commands.map(askedFields), ['ownerId _id', '_id', '_id', '_id', 'projectId', '', '']);
});

test('no connection is counted', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 60_000 });
  const provider = new MeterProvider({ readers: [reader] });
  metrics.setGlobalMeterProvider(provider);
  const count = async (silence: boolean) => {
    const instrumentation = mongoSpans();
    instrumentation.setMeterProvider(provider);
    if (silence) withoutMetrics(instrumentation);
    exporter.reset();
    (instrumentation as unknown as { _connCountAdd(n: number, pool: string, state: string): void })._connCountAdd(
      1,
      'p',
      'idle',
    );
    await reader.forceFlush();
    return exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap(each => each.metrics).length;
  };
  assert.equal(await count(true), 0);
  assert.equal(await count(false), 1, 'it would be');
  await provider.shutdown();
  metrics.disable();
});
