import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { SPAN_KIND } from './otlp-json.ts';
import { startTraceReceiver } from './trace-receiver.ts';

const BODY = JSON.stringify({
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'media' } }] },
      scopeSpans: [
        {
          spans: [
            {
              traceId: 'a'.repeat(32),
              spanId: 'b'.repeat(16),
              parentSpanId: 'c'.repeat(16),
              name: 'remux',
              kind: SPAN_KIND.consumer,
              startTimeUnixNano: '1700000000000000000',
              endTimeUnixNano: '1700000000250000000',
              attributes: [{ key: 'attempt', value: { intValue: '2' } }],
              status: { code: 2 },
            },
          ],
        },
      ],
    },
  ],
});

const METRICS = JSON.stringify({
  resourceMetrics: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'media' } }] },
      scopeMetrics: [
        {
          metrics: [
            {
              name: 'jobs',
              unit: '{job}',
              gauge: { dataPoints: [{ attributes: [{ key: 'kind', value: { stringValue: 'media' } }], asInt: '7' }] },
            },
          ],
        },
      ],
    },
  ],
});

test('reads spans and metrics as JSON, plain or gzipped', async () => {
  await using receiver = await startTraceReceiver();
  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>, path = '/v1/traces') =>
    fetch(receiver.url + path, { method: 'POST', body, headers, signal: AbortSignal.timeout(5_000) });
  const json = { 'content-type': 'application/json' };
  assert.equal((await post(BODY, json)).status, 200);
  const zipped = new Uint8Array(gzipSync(BODY));
  assert.equal((await post(zipped, { ...json, 'content-encoding': 'gzip' })).status, 200);
  assert.equal((await post('{', json)).status, 400);
  assert.equal((await post(BODY, { 'content-type': 'application/x-protobuf' })).status, 415);
  assert.equal((await post(BODY, json, '/v1/profiles')).status, 404);
  assert.deepEqual(receiver.bodies, [BODY, BODY]);
  assert.equal((await post(METRICS, json, '/v1/metrics')).status, 200);
  assert.equal((await post(METRICS.replace('"7"', '"8"'), json, '/v1/metrics')).status, 200);
  const series = { service: 'media', name: 'jobs', unit: '{job}', attributes: { kind: 'media' } };
  assert.deepEqual([...receiver.points.values()], [{ ...series, value: 8 }], 'the last point of a series');
  const [span] = receiver.spans;
  assert.equal(span!.service, 'media');
  assert.equal(span!.endMs - span!.startMs, 250);
  assert.equal(span!.isError, true);
  assert.deepEqual(span!.attributes, { attempt: 2 });
});
