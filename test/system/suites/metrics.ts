import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Point } from '@recording-request/demo/otlp-json';
import type { TraceReceiver } from '@recording-request/demo/trace-receiver';
import { METRICS, type MetricDefinition, RUNTIME_METRICS } from '@recording-request/telemetry-registry/metrics';
import { until } from '@recording-request/testing/wait';

const listed: Record<string, MetricDefinition> = METRICS;
/** Metrics and attributes that may be missing, with the reason. */
const RARE: Record<string, string> = {
  'recording.webhook.endpoints.paused': 'counts endpoints that have failed for days',
  'recording.webhook.failing': 'only while an endpoint fails',
  'recording.project.id': 'the same',
  'recording.requests.shed': 'counts requests refused under overload',
  'error.type': 'only on a failure',
};
// The suites of this file use only a small part of all routes, statuses and topics.
const SERIES_MAX = 150;
const ALL_SERIES_MAX = 2_000;
const PATIENCE = { limitMs: 60_000, everyMs: 250 };

/** Tests the metrics that the services sent during all earlier suites of this file. */
export function metrics({ points, spans }: Pick<TraceReceiver, 'points' | 'spans'>): void {
  const all = (): Point[] => [...points.values()];

  describe('metrics', () => {
    test('every metric of the registry is emitted with its unit and attributes', async () => {
      const missing = () =>
        Object.entries(listed).flatMap(([name, { attributes }]) => {
          const some = all().filter(one => one.name === name);
          if (some.length === 0) return name in RARE ? [] : [name];
          return Object.keys(attributes)
            .filter(each => !(each in RARE) && !some.some(one => each in one.attributes))
            .map(each => `${name}: ${each}`);
        });
      await until('every metric', () => missing().length === 0, PATIENCE).catch(() => undefined);
      assert.deepEqual(missing(), []);
      for (const { name, unit } of all()) if (listed[name]) assert.equal(unit, listed[name].unit, name);
    });

    test('no metric or attribute outside the registry is emitted', () => {
      for (const { name, attributes, service } of all()) {
        if (RUNTIME_METRICS.test(name)) continue;
        assert.ok(listed[name], `${name} of ${service}`);
        const unknown = Object.keys(attributes).filter(key => !(key in listed[name]!.attributes));
        assert.deepEqual(unknown, [], `${name} of ${service}`);
      }
    });

    const valuesOf = (metric: string, attribute: string) =>
      new Set(all().flatMap(({ name, attributes }) => (name === metric ? [String(attributes[attribute])] : [])));

    test('metrics name a request’s route, an RPC’s name and a job’s kind', () => {
      assert.ok(valuesOf('http.server.request.duration', 'http.route').has('/api/projects/{projectId}'));
      assert.ok(
        valuesOf('rpc.server.call.duration', 'rpc.method').has('recording.projects.v1.ProjectsService/GetProject'),
      );
      assert.deepEqual(valuesOf('recording.jobs', 'recording.job.kind'), new Set(['media', 'transcript']));
    });

    test('metrics name the target of an outgoing request and the step that a clip waits for', () => {
      assert.deepEqual(
        valuesOf('http.client.request.duration', 'recording.peer'),
        new Set(['store', 'speech', 'endpoint']),
      );
      const steps = new Set(['landing', 'media', 'transcript', 'webhook']);
      for (const metric of ['recording.step.age', 'recording.clips.stuck'])
        assert.deepEqual(valuesOf(metric, 'recording.step'), steps, metric);
      assert.equal(valuesOf('recording.clips', 'recording.clip.state').size, 8);
      assert.deepEqual(valuesOf('recording.webhook.endpoints', 'recording.endpoint.state').size, 3);
    });

    test('MongoDB commands have metrics and spans', () => {
      const operations = valuesOf('db.client.operation.duration', 'db.operation.name');
      for (const name of ['find', 'update', 'aggregate']) assert.ok(operations.has(name), name);
      const services = new Set(
        spans.filter(({ attributes }) => attributes['db.system.name'] === 'mongodb').map(({ service }) => service),
      );
      assert.deepEqual(services, new Set(['projects', 'submissions', 'webhooks']));
    });

    test('each service reports process metrics', () => {
      const services = ['gateway', 'projects', 'submissions', 'media', 'transcription', 'webhooks'];
      for (const metric of [
        'process.cpu.time',
        'process.memory.usage',
        'process.open_file_descriptor.count',
        'recording.sockets',
        'recording.telemetry.dropped',
      ])
        assert.deepEqual(
          new Set(all().flatMap(({ name, service }) => (name === metric ? [service] : []))),
          new Set(services),
          metric,
        );
      const lastOf = (metric: string) => all().filter(({ name }) => name === metric);
      for (const { value } of lastOf('recording.database.primary')) assert.equal(value, 1);
      for (const { value } of lastOf('recording.kafka.connected')) assert.equal(value, 1);
      for (const { value, attributes } of lastOf('recording.consumer.members'))
        assert.ok(Number(value) >= 1, JSON.stringify(attributes));
    });

    test('no attribute has an id, token or address, except one project id, and the number of series is bounded', () => {
      const counts = new Map<string, number>();
      for (const { name, service, attributes: given } of all()) {
        const attributes = { ...given };
        if (name === 'recording.webhook.failing') delete attributes['recording.project.id'];
        const key = `${name} of ${service}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
        assert.doesNotMatch(
          JSON.stringify(attributes),
          /[0-9a-f]{8}-[0-9a-f]{4}-|(?:vr|prj|api)_\w{8}|127\.0\.0\.1|https?:\/\//,
          key,
        );
      }
      for (const [key, count] of counts) assert.ok(count <= SERIES_MAX, `${key}: ${count} series`);
      assert.ok(points.size <= ALL_SERIES_MAX, `${points.size} series`);
    });
  });
}
