import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { context, metrics, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { type DataPoint, type Histogram, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { startSending } from '@recording-request/kit-telemetry/signals';
import { testEnvironment } from '@recording-request/testing/environment';
import { until } from '@recording-request/testing/wait';
import type { Command } from '../src/commands.ts';

class OnDemand extends MetricReader {
  protected onForceFlush = async () => {};
  protected onShutdown = async () => {};
}
const exporter = new InMemorySpanExporter();
const reader = new OnDemand();
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
startSending({ traces: true, metrics: true, logs: false });
// Import this only after the SDK has started, because an instrument belongs to the provider that exists when the code
// creates the instrument.
const { testStores } = await import('@recording-request/testing/test-stores');
const { queryFields } = await import('../src/commands.ts');
const { inSpan } = await import('@recording-request/kit-telemetry/span');

const stores = testStores(testEnvironment());
after(() => stores[Symbol.asyncDispose]());
const connection = await stores.database('commands');
const clips = connection.collection<{ _id: string; note: string }>('clips');
const databaseName = connection.db!.databaseName;

beforeEach(() => exporter.reset());

/** Runs `run` in a step and returns the spans of its commands. */
async function commandsOf(run: () => Promise<unknown>) {
  await inSpan('land', {}, run).catch(() => {});
  const [step, ...others] = exporter.getFinishedSpans().toReversed();
  for (const { parentSpanContext } of others) assert.equal(parentSpanContext?.spanId, step!.spanContext().spanId);
  return others.toReversed();
}

async function pointsOf<V>(metric: string): Promise<DataPoint<V>[]> {
  const { resourceMetrics } = await reader.collect();
  return resourceMetrics.scopeMetrics
    .flatMap(scope => scope.metrics)
    .filter(({ descriptor }) => descriptor.name === metric)
    .flatMap(({ dataPoints }) => dataPoints as DataPoint<V>[]);
}

async function countOf(operation: string, error?: string): Promise<number> {
  const found = (await pointsOf<Histogram>('db.client.operation.duration')).filter(
    each => each.attributes['db.operation.name'] === operation && each.attributes['error.type'] === error,
  );
  return found.reduce((sum, { value }) => sum + value.count, 0);
}

test('each command has a span within its step, with its collection and the fields of its query', async () => {
  const before = await countOf('insert');
  const found = await commandsOf(async () => {
    await clips.insertMany(Array.from({ length: 5 }, (_, at) => ({ _id: `clip ${at}`, note: 'secret' })));
    await clips.find({ note: 'secret' }, { batchSize: 2 }).toArray();
    await clips.findOneAndUpdate({ note: 'secret' }, { $set: { note: 'another' } });
    await clips.aggregate([{ $match: { note: 'secret' } }]).toArray();
    await clips.updateOne({ _id: 'clip 1', note: 'secret' }, { $set: { note: 'other' } });
  });
  assert.deepEqual(
    found.map(({ name }) => name),
    [
      ...['insert clips', 'find clips', 'getMore clips', 'getMore clips'],
      ...['findAndModify clips', 'aggregate clips', 'update clips'],
    ],
  );
  const { 'server.port': port, ...attributes } = found.at(-1)!.attributes;
  assert.ok(Number(port) > 0);
  assert.deepEqual(attributes, {
    'db.system.name': 'mongodb',
    'db.namespace': databaseName,
    'db.operation.name': 'update',
    'db.collection.name': 'clips',
    'db.query.text': '_id note',
    'server.address': '127.0.0.1',
  });
  assert.ok(!JSON.stringify(found.map(each => each.attributes)).includes('secret'));
  assert.equal((await countOf('insert')) - before, 1);
});

test('a refused command has its error code and counts as failed', async () => {
  const [before, succeeded] = [await countOf('_OTHER', 'failed'), await countOf('_OTHER')];
  const [found, ...others] = await commandsOf(() => connection.db!.command({ noSuchCommand: 1 }));
  assert.deepEqual(others, []);
  assert.equal(found!.name, `noSuchCommand ${databaseName}`);
  assert.equal(found!.status.code, SpanStatusCode.ERROR);
  assert.equal(found!.attributes['db.response.status_code'], '59');
  assert.equal(found!.attributes['error.type'], 'MongoServerError');
  assert.equal((await countOf('_OTHER', 'failed')) - before, 1);
  assert.equal(await countOf('_OTHER'), succeeded);
});

test('a command outside a step has no span, but is counted', async () => {
  const before = await countOf('find');
  await clips.findOne({});
  assert.deepEqual(exporter.getFinishedSpans(), []);
  assert.equal((await countOf('find')) - before, 1);
});

test('the driver’s own commands have no span and are not counted', async () => {
  const before = await countOf('hello');
  const other = await stores.database('others');
  await other.collection('clips').findOne({});
  assert.equal(await countOf('hello'), before);
  await other.db!.command({ hello: 1 });
  assert.equal((await countOf('hello')) - before, 1, 'the same command of the service is counted');
});

test('a command’s span has the fields of its query, and no value', () => {
  const commands: Command[] = [
    { find: 'clips', filter: { ownerId: 'o', _id: { $gt: 'a' } } },
    { findAndModify: 'clips', query: { _id: 'a' }, update: { $set: { note: 'secret' } } },
    { update: 'clips', updates: [{ q: { _id: 'a' }, u: { $set: { note: 'secret' } } }] },
    { delete: 'clips', deletes: [{ q: { _id: 'a' } }] },
    { aggregate: 'clips', pipeline: [{ $match: { projectId: 'p' } }, { $sort: { _id: 1 } }] },
    { aggregate: 'clips', pipeline: [{ $count: 'n' }] },
    { insert: 'clips', documents: [{ _id: 'a', note: 'secret' }] },
  ];
  assert.deepEqual(commands.map(queryFields), ['ownerId _id', '_id', '_id', '_id', 'projectId', '', '']);
});

test('the age of a command without an answer is reported', async () => {
  await clips.updateOne({ _id: 'slow' }, { $set: { note: '' } }, { upsert: true });
  const age = async () =>
    (await pointsOf<number>('recording.peer.age')).find(each => each.attributes['recording.peer'] === 'database')
      ?.value;
  const answered = clips.findOne({ _id: 'slow', $where: 'sleep(2000) || true' } as object);
  await until('the command has waited for some time', async () => ((await age()) ?? 0) > 0.3);
  await answered;
  assert.equal(await age(), 0);
});
