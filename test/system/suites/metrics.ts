import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Point } from '@recording-request/demo/otlp-json';
import type { TraceReceiver } from '@recording-request/demo/trace-receiver';
import { METRICS, type MetricDefinition, RUNTIME_METRICS } from '@recording-request/kit/telemetry/registry';
import { until } from '@recording-request/testing/wait';

const listed: Record<string, MetricDefinition> = METRICS;
/** Said only when something has failed for long. */
const RARE = ['recording.webhook.endpoints.paused'];
// What this file does is a small part of all routes, statuses and topics there are.
const SERIES_MAX = 150;
const PATIENCE = { limitMs: 60_000, everyMs: 250 };

/** What the services have measured of everything that this file did. */
export function metrics({ points }: Pick<TraceReceiver, 'points'>): void {
  const all = (): Point[] => [...points.values()];

  describe('metrics', () => {
    test('every metric of the registry is emitted, with its unit', async () => {
      const missing = () =>
        Object.keys(listed).filter(name => !RARE.includes(name) && !all().some(one => one.name === name));
      await until('every metric has come', () => missing().length === 0, PATIENCE).catch(() => undefined);
      assert.deepEqual(missing(), []);
      for (const { name, unit } of all()) if (listed[name]) assert.equal(unit, listed[name].unit, name);
    });

    test('nothing else is emitted, and no attribute that the registry does not list', () => {
      for (const { name, attributes, service } of all()) {
        if (RUNTIME_METRICS.test(name)) continue;
        assert.ok(listed[name], `${name} of ${service}`);
        const unknown = Object.keys(attributes).filter(key => !(key in listed[name]!.attributes));
        assert.deepEqual(unknown, [], `${name} of ${service}`);
      }
    });

    test('a request is known by its route, an RPC by its name, a job by its kind', () => {
      const valuesOf = (metric: string, attribute: string) =>
        new Set(all().flatMap(({ name, attributes }) => (name === metric ? [String(attributes[attribute])] : [])));
      assert.ok(valuesOf('http.server.request.duration', 'http.route').has('/api/projects/{projectId}'));
      assert.ok(
        valuesOf('rpc.server.call.duration', 'rpc.method').has('recording.projects.v1.ProjectsService/GetProject'),
      );
      assert.deepEqual(valuesOf('recording.jobs', 'recording.job.kind'), new Set(['media', 'transcript']));
    });

    test('no id, no token and no address is in an attribute, and the number of series is bounded', () => {
      const counts = new Map<string, number>();
      for (const { name, service, attributes } of all()) {
        const key = `${name} of ${service}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
        assert.doesNotMatch(
          JSON.stringify(attributes),
          /[0-9a-f]{8}-[0-9a-f]{4}-|(?:vr|prj|api)_\w{8}|127\.0\.0\.1|https?:\/\//,
          key,
        );
      }
      for (const [key, count] of counts) assert.ok(count <= SERIES_MAX, `${key}: ${count} series`);
    });
  });
}
