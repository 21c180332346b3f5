import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSignals } from './settings.ts';

const NONE = { traces: false, metrics: false };

test('nothing is sent while no variable asks for it', () => {
  for (const env of [{}, { OTEL_SERVICE_NAME: 'media' }, { OTEL_EXPORTER_OTLP_ENDPOINT: '' }])
    assert.deepEqual(readSignals(env), NONE);
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
  assert.deepEqual(readSignals({ ...endpoint, OTEL_SDK_DISABLED: 'true' }), NONE);
});

test('a signal is sent where an endpoint or its exporter asks for it', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
  assert.deepEqual(readSignals(endpoint), { traces: true, metrics: true });
  assert.deepEqual(readSignals({ ...endpoint, OTEL_METRICS_EXPORTER: 'none' }), { traces: true, metrics: false });
  assert.deepEqual(readSignals({ OTEL_METRICS_EXPORTER: 'prometheus' }), { traces: false, metrics: true });
  const traces = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces' };
  assert.deepEqual(readSignals(traces), { traces: true, metrics: false });
});

test('a malformed variable is named, and its value is not told', () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'json',
    OTEL_TRACES_SAMPLER_ARG: 'half',
    OTEL_EXPORTER_OTLP_HEADERS: 'a secret',
    OTEL_METRIC_EXPORT_INTERVAL: '1s',
  };
  assert.throws(() => readSignals(env), {
    faults: [
      'OTEL_EXPORTER_OTLP_ENDPOINT must be an absolute http or https address',
      'OTEL_EXPORTER_OTLP_PROTOCOL must be grpc, http/protobuf or http/json',
      'OTEL_EXPORTER_OTLP_HEADERS must be NAME=VALUE, separated by commas',
      'OTEL_METRIC_EXPORT_INTERVAL must be a whole number',
      'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1',
    ],
  });
});
