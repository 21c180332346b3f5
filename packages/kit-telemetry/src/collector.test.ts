import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { until } from '@recording-request/testing/wait';
import { CHECKS } from './checks.ts';

const here = new URL('.', import.meta.url);
// The process works like a service: its requests have spans, durations and log lines.
const PROBE = `
const { createServer } = await import('node:http');
const { inRequest } = await import(${JSON.stringify(new URL('http-requests.ts', here).href)});
const { runService } = await import(${JSON.stringify(new URL('../../kit-rpc/src/run-service.ts', here).href)});
const config = { logLevel: 'info', stopGraceSeconds: 25, healthListen: '127.0.0.1:0' };
await runService('probe', () => config, async (_config, log) => {
  const server = createServer((request, response) => inRequest(request, response, () => {
    if (request.url === '/heap') {
      globalThis.gc();
      return response.end(String(process.memoryUsage().heapUsed));
    }
    log.info({ detail: 'x'.repeat(5_000) }, 'answered');
    response.end();
  }));
  // A slow client on a busy machine must not fail.
  server.keepAliveTimeout = 0;
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  process.stdout.write('PORT ' + server.address().port + '\\n');
  return { stop: async () => { server.closeAllConnections(); await new Promise(resolve => server.close(resolve)); } };
});
`;
const LIMIT_MS = 300_000;
// More than full queues and batches need, but less than the data of 600 requests.
const GROWTH_BYTES = 2_000_000;

async function collector(answer: RequestListener) {
  const server = createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const stop = async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  };
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: stop };
}

/** Starts the probe; disposing ends it. */
async function startProbe(env: Record<string, string>) {
  const preload = new URL('preload.ts', here).href;
  const args = ['--expose-gc', '--import', preload, '--input-type=module', '--eval', PROBE];
  const child: ChildProcess = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LIMIT_MS,
  });
  const exited = once(child, 'exit');
  const port = Promise.withResolvers<number>();
  const lines = createInterface({ input: child.stdout! });
  lines.on('line', line => line.startsWith('PORT ') && port.resolve(Number(line.slice('PORT '.length))));
  lines.on('close', () => port.reject(new Error('the probe has ended')));
  return {
    base: `http://127.0.0.1:${await port.promise}`,
    async stop() {
      const startedAt = performance.now();
      child.kill('SIGTERM');
      const [status] = await exited;
      return { status: status as number | null, seconds: (performance.now() - startedAt) / 1_000 };
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

const ALL = { OTEL_TRACES_SAMPLER: 'always_on' };
const SMALL = {
  ...ALL,
  OTEL_LOGS_EXPORTER: 'otlp',
  OTEL_BSP_MAX_QUEUE_SIZE: '50',
  OTEL_BLRP_MAX_QUEUE_SIZE: '50',
  OTEL_METRIC_EXPORT_INTERVAL: '500',
};

async function ask(base: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(base)));
    for (const answer of answers) {
      assert.equal(answer.status, 200);
      await answer.arrayBuffer();
    }
  }
}

const heapOf = async (base: string) => Number(await (await fetch(`${base}/heap`)).text());

test('a collector that never answers blocks no request, fills no memory, and delays a stop by at most three seconds', async () => {
  let requested = 0;
  await using silent = await collector(() => {
    requested += 1;
  });
  await using probe = await startProbe({ ...SMALL, OTEL_EXPORTER_OTLP_ENDPOINT: silent.url });
  await ask(probe.base, 100);
  const before = await heapOf(probe.base);
  await ask(probe.base, 600);
  // The newest lines stay in memory briefly, with or without a collector.
  const isFlat = async () => (await heapOf(probe.base)) - before < GROWTH_BYTES;
  await until('the memory of the requests is free again', isFlat, { limitMs: 60_000, everyMs: 500 });
  assert.ok(requested > 0);
  const { status, seconds } = await probe.stop();
  assert.equal(status, 0);
  assert.ok(seconds < 10, `${seconds} s`);
});

test('a collector gets every signal with the resource of the pod, including the queued data at the stop', async () => {
  const bodies = new Map<string, string>();
  await using answering = await collector(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.set(request.url!, (bodies.get(request.url!) ?? '') + body);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await using probe = await startProbe({
    // Compose sets unset variables to "".
    ...Object.fromEntries(Object.keys(CHECKS).map(name => [name, ''])),
    ...ALL,
    OTEL_LOGS_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_ENDPOINT: answering.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '3600000',
    OTEL_BLRP_SCHEDULE_DELAY: '3600000',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    K8S_POD_NAME: 'media-1',
    K8S_CONTAINER_NAME: 'service',
  });
  await ask(probe.base, 50);
  const { status, seconds } = await probe.stop();
  assert.equal(status, 0);
  assert.ok(seconds < 2.5, `the collector has everything, but the stop took ${seconds} s`);
  assert.deepEqual([...bodies.keys()].toSorted(), ['/v1/logs', '/v1/metrics', '/v1/traces']);
  const pairs = { 'k8s.pod.name': 'media-1', 'k8s.container.name': 'service', 'deployment.environment.name': 'test' };
  for (const body of bodies.values())
    for (const [key, stringValue] of Object.entries({ ...pairs, 'service.instance.id': 'media-1' }))
      assert.ok(body.includes(JSON.stringify({ key, value: { stringValue } })), key);
  assert.ok(bodies.get('/v1/logs')!.includes('The service has stopped'));
  const traceId = /"traceId":"([0-9a-f]{32})"/.exec(bodies.get('/v1/traces')!)?.[1];
  assert.ok(bodies.get('/v1/logs')!.includes(`"traceId":"${traceId}"`));
});

/** Starts and ends a process that preloads telemetry. Returns its stderr and its exit status. */
async function runAndRead(env: Record<string, string>) {
  const args = ['--import', new URL('preload.ts', here).href, '--eval', ''];
  const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, ...env }, timeout: LIMIT_MS });
  let said = '';
  child.stderr.on('data', chunk => {
    said += chunk;
  });
  const [status] = await once(child, 'close');
  return { status, said };
}

for (const [what, value] of [
  ['malformed', 'a secret'],
  ['with a character that gRPC refuses', 'authorization=a%20secret%C3%A9'],
] as const)
  test(`headers ${what} end the start with status 78, and their value is not shown`, async () => {
    const { status, said } = await runAndRead({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_HEADERS: value,
    });
    assert.doesNotMatch(said, /a( |%20)secret/);
    assert.equal(status, 78);
    assert.match(said, /OTEL_EXPORTER_OTLP_HEADERS must be/);
  });

for (const protocol of ['grpc', 'http/protobuf'])
  test(`the SDK’s own log does not show headers: ${protocol}`, async () => {
    await using refusing = await collector((_request, response) => response.writeHead(401).end());
    const { status, said } = await runAndRead({
      OTEL_EXPORTER_OTLP_ENDPOINT: refusing.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20a-secret',
      OTEL_LOG_LEVEL: 'verbose',
    });
    assert.equal(status, 0);
    assert.match(said, /metrics export failed/);
    assert.doesNotMatch(said, /a-secret/);
  });
