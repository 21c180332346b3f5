import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { CHECKS } from './checks.ts';
import { batchSettings, intervalSettings, metricExporters, protocolOf, readSignals } from './settings.ts';

const NONE = { traces: false, metrics: false, logs: false };
const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const root = new URL('../../../', import.meta.url);

const faultsOf = (env: Record<string, string>): string[] => {
  try {
    readSignals(env);
    return [];
  } catch (error) {
    return (error as { faults: string[] }).faults;
  }
};

test('no signal is sent until a variable turns it on', () => {
  for (const env of [{}, { OTEL_SERVICE_NAME: 'media' }, { OTEL_EXPORTER_OTLP_ENDPOINT: '' }])
    assert.deepEqual(readSignals(env), NONE);
  assert.deepEqual(readSignals({ ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }), NONE);
});

test('while nothing is sent, a missing file is no fault, but a malformed value is', () => {
  const off = { ...ENDPOINT, OTEL_SDK_DISABLED: 'true' };
  const files = {
    OTEL_EXPORTER_OTLP_CERTIFICATE: '/tls/ca.crt',
    OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: '/tls/tls.crt',
    OTEL_EXPORTER_OTLP_CLIENT_KEY: '/tls/tls.key',
  };
  assert.equal(faultsOf({ ...ENDPOINT, ...files }).length, 3);
  assert.deepEqual(readSignals({ ...off, ...files }), NONE);
  assert.equal(faultsOf({ ...off, OTEL_BSP_SCHEDULE_DELAY: '5s' }).length, 1);
});

test('an endpoint or an exporter turns a signal on', () => {
  assert.deepEqual(readSignals(ENDPOINT), { traces: true, metrics: true, logs: false });
  assert.deepEqual(readSignals({ ...ENDPOINT, OTEL_METRICS_EXPORTER: 'none' }), { ...NONE, traces: true });
  assert.deepEqual(readSignals({ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'https://logs' }), { ...NONE, logs: true });
  assert.deepEqual(readSignals({ OTEL_METRICS_EXPORTER: 'prometheus' }), { ...NONE, metrics: true });
  assert.deepEqual(readSignals({ OTEL_LOGS_EXPORTER: 'otlp' }), { ...NONE, logs: true });
  assert.deepEqual(readSignals({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces' }), { ...NONE, traces: true });
});

test('the error names a malformed variable, not its value', () => {
  const env = {
    OTEL_RESOURCE_ATTRIBUTES: 'a=1,b',
    OTEL_TRACES_EXPORTER: 'zipkin',
    OTEL_METRICS_EXPORTER: 'otlp,none',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'json',
    OTEL_EXPORTER_OTLP_HEADERS: 'a secret',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd',
    OTEL_EXPORTER_OTLP_LOGS_CERTIFICATE: '/nowhere/ca.crt',
    OTEL_METRIC_EXPORT_INTERVAL: '1s',
    OTEL_TRACES_SAMPLER: 'always_on,always_off',
    OTEL_TRACES_SAMPLER_ARG: 'half',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '4096',
  };
  assert.deepEqual(faultsOf(env), [
    'OTEL_RESOURCE_ATTRIBUTES must be NAME=VALUE, separated by commas, with other signs percent-encoded',
    'OTEL_TRACES_EXPORTER must be otlp or none',
    'OTEL_METRICS_EXPORTER must have none or all alone',
    'OTEL_EXPORTER_OTLP_PROTOCOL must be grpc, http/protobuf or http/json',
    'OTEL_EXPORTER_OTLP_HEADERS must be NAME=VALUE in printable ASCII, separated by commas, with other signs percent-encoded',
    'OTEL_EXPORTER_OTLP_COMPRESSION must be gzip or none',
    'OTEL_EXPORTER_OTLP_LOGS_CERTIFICATE must name a file that can be read',
    'OTEL_METRIC_EXPORT_INTERVAL must be a whole number from 1',
    'OTEL_TRACES_SAMPLER must be always_on, parentbased_always_on, always_off, parentbased_always_off, traceidratio or parentbased_traceidratio',
    'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1',
    'OTEL_BSP_MAX_EXPORT_BATCH_SIZE must not be above OTEL_BSP_MAX_QUEUE_SIZE',
    'OTEL_EXPORTER_OTLP_ENDPOINT must be an absolute http or https address, as OTEL_EXPORTER_OTLP_PROTOCOL is not grpc',
  ]);
});

test('values that the SDK would misread or ignore are refused', () => {
  const refused: Array<[name: string, value: string]> = [
    ['OTEL_SDK_DISABLED', 'yes'],
    ['OTEL_CONFIG_FILE', 'sdk.yaml'],
    ['OTEL_LOG_LEVEL', 'loud'],
    ['OTEL_LOGS_EXPORTER', 'console'],
    ['OTEL_EXPORTER_ZIPKIN_ENDPOINT', 'http://zipkin:9411/api/v2/spans'],
    ['OTEL_PROPAGATORS', 'jaeger'],
    ['OTEL_PROPAGATORS', 'b3'],
    ['OTEL_NODE_RESOURCE_DETECTORS', 'all,host'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=Basic abc;x=y'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=%zz'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=caf%C3%A9'],
    ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'authorization=two%0Alines'],
    ['OTEL_EXPORTER_OTLP_METRICS_HEADERS', 'x!y=1'],
    ['OTEL_EXPORTER_OTLP_LOGS_HEADERS', 'key-bin=1'],
    ['OTEL_RESOURCE_ATTRIBUTES', `a=${'x'.repeat(256)}`],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '0'],
    ['OTEL_EXPORTER_PROMETHEUS_PORT', '65536'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_BLRP_MAX_QUEUE_SIZE', '0'],
    ['OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT', '-1'],
    ['OTEL_METRICS_EXEMPLAR_FILTER', 'some'],
    ['OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION', 'base2_exponential_bucket_histogram'],
    ['OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE', new URL('package.json', root).pathname],
  ];
  for (const [name, value] of refused) {
    const [fault = '', ...others] = faultsOf({ [name]: value });
    assert.ok(fault.startsWith(`${name} `), `${name}=${value}: ${fault}`);
    assert.ok(!fault.includes(value), fault);
    assert.deepEqual(others, []);
  }
});

test('headers may have the line break of a secret’s file', () => {
  const value = ' authorization=Basic%20YTpi== ,\n x-scope_id.of=a%2Cb%3Bc\n';
  assert.deepEqual(faultsOf({ OTEL_EXPORTER_OTLP_HEADERS: value, OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'a=b' }), []);
});

test('an endpoint without a scheme is valid only for gRPC', () => {
  const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'collector:4317', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' };
  assert.deepEqual(faultsOf(env), []);
  assert.equal(faultsOf({ ...env, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' }).length, 1);
});

test('an endpoint of all signals without a scheme requires gRPC for each signal sent there', () => {
  const bare = { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' };
  const grpc = { ...bare, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
  const http = { ...grpc, OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/protobuf' };
  const refused = (name: string) => [
    `OTEL_EXPORTER_OTLP_ENDPOINT must be an absolute http or https address, as ${name} is not grpc`,
  ];
  assert.deepEqual(faultsOf(http), refused('OTEL_EXPORTER_OTLP_METRICS_PROTOCOL'));
  assert.deepEqual(faultsOf(bare), refused('OTEL_EXPORTER_OTLP_PROTOCOL'));
  assert.equal(faultsOf({ ...bare, OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' }).length, 1);
  assert.deepEqual(faultsOf(grpc), []);
  // A signal that is off or uses another protocol does not matter.
  const others: Record<string, string>[] = [
    { OTEL_METRICS_EXPORTER: 'none' },
    { OTEL_METRICS_EXPORTER: 'prometheus' },
    { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://collector:4318/v1/metrics' },
  ];
  for (const other of others) assert.deepEqual(faultsOf({ ...http, ...other }), []);
  const logs = { ...grpc, OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'http/json' };
  assert.deepEqual(faultsOf(logs), []);
  assert.deepEqual(faultsOf({ ...logs, OTEL_LOGS_EXPORTER: 'otlp' }), refused('OTEL_EXPORTER_OTLP_LOGS_PROTOCOL'));
  const traces = { ...bare, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc', OTEL_METRICS_EXPORTER: 'none' };
  assert.deepEqual(faultsOf(traces), []);
});

test('a signal’s settings win over those of all signals, and the SDK’s defaults apply without either', () => {
  const env = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'http/json' };
  assert.equal(protocolOf('logs', env), 'http/json');
  assert.equal(protocolOf('traces', env), 'grpc');
  assert.equal(protocolOf('traces', {}), 'http/protobuf');
  assert.deepEqual(batchSettings('OTEL_BSP', {}), {});
  const batch = { OTEL_BLRP_MAX_QUEUE_SIZE: '100', OTEL_BLRP_SCHEDULE_DELAY: '200' };
  assert.deepEqual(batchSettings('OTEL_BLRP', batch), {
    maxExportBatchSize: 100,
    maxQueueSize: 100,
    scheduledDelayMillis: 200,
  });
  assert.deepEqual(intervalSettings({ OTEL_METRIC_EXPORT_INTERVAL: '1000' }), {
    exportIntervalMillis: 1_000,
    exportTimeoutMillis: 1_000,
  });
  assert.deepEqual(metricExporters({ OTEL_METRICS_EXPORTER: 'otlp, prometheus' }), ['otlp', 'prometheus']);
});

/** Names in OpenTelemetry's sources that no code reads from the environment, each with the reason. */
const UNREAD: Array<[name: RegExp, why: string]> = [
  [/^OTEL_(COMPONENT|SCOPE|SDK_(?!DISABLED)|SPAN_(PARENT|SAMPLING)|STATUS)_/, 'constants of the conventions'],
  [/^OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS$/, 'a comment on an attribute'],
  [/_$/, 'the beginning of a name, in a comment or before a variable part'],
];

test('every variable that an installed package of OpenTelemetry reads is checked here', async () => {
  const lock = JSON.parse(await readFile(new URL('package-lock.json', root), 'utf8')) as { packages: object };
  const packages = Object.keys(lock.packages).filter(path => /(^|\/)node_modules\/@opentelemetry\/[^/]+$/.test(path));
  const read = new Set<string>();
  for (const path of packages) {
    const files = await Array.fromAsync(glob(`${path}/**/*.{js,mjs,cjs}`, { cwd: root }));
    assert.ok(files.length > 0, `${path} has no sources`);
    for (const file of files) {
      const source = await readFile(new URL(file, root), 'utf8');
      for (const [found] of source.matchAll(/\bOTEL_[A-Z0-9_]+(\$\{signalIdentifier\}_[A-Z0-9_]+)?/g))
        for (const signal of ['TRACES', 'METRICS', 'LOGS']) read.add(found.replace(/\$\{.*\}/, signal));
    }
  }
  const missing = [...read].filter(name => !(name in CHECKS) && !UNREAD.some(([unread]) => unread.test(name)));
  assert.ok(read.has('OTEL_EXPORTER_OTLP_LOGS_HEADERS') && read.has('OTEL_BLRP_MAX_QUEUE_SIZE'));
  assert.ok(read.has('OTEL_CONFIG_FILE') && read.has('OTEL_PROPAGATORS'));
  assert.deepEqual(missing, []);
});

test('docs/telemetry.md has every variable that is checked, and no other', async () => {
  const page = await readFile(new URL('docs/telemetry.md', root), 'utf8');
  const rows = [...page.matchAll(/^\| `(OTEL_[^|]*)\|/gm)].flatMap(([, cell = '']) => cell.match(/OTEL_\w+/g) ?? []);
  const expanded = rows.flatMap(name =>
    name.includes('SIGNAL') ? ['TRACES', 'METRICS', 'LOGS'].map(signal => name.replace('SIGNAL', signal)) : [name],
  );
  assert.deepEqual(expanded.toSorted(), Object.keys(CHECKS).toSorted());
});
