import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { tempDir } from '@recording-request/stack/testing/temp-dir';
import { until } from '@recording-request/testing/wait';
import { ensureCollector } from '../install/collector.ts';
import { startCollector } from './collector.ts';

const CONFIG = fileURLToPath(new URL('../../../../deploy/observability/collector/config.yaml', import.meta.url));
const PATIENCE = { limitMs: 30_000, everyMs: 100 };
const LIMIT_MS = 10_000;
const BOUNDED = { timeout: 180_000 };
const DECISIONS = 'otelcol_processor_tail_sampling_global_count_traces_sampled';

interface Posted {
  traceId: string;
  name?: string;
  parentSpanId?: string;
  seconds?: number;
  isError?: boolean;
  attributes?: Record<string, string>;
}

const newId = (bytes: number) => randomBytes(bytes).toString('hex');

/** Starts a trace store that accepts Zipkin's format, returns `status`, and records the ids of received spans. */
async function startStore(status: number) {
  const spans = new Set<string>();
  const server = createServer(async (request, response) => {
    for (const { id } of (await json(request)) as { id: string }[]) spans.add(id);
    response.writeHead(status).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const stop = async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  };
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, spans, [Symbol.asyncDispose]: stop };
}

/** Starts the collector as it is deployed, but with a separate trace store and other sampling variables. */
async function startSampling(sampling: Record<string, string>, storeStatus = 202) {
  await using starting = new AsyncDisposableStack();
  const scratch = starting.use(await tempDir());
  const store = starting.use(await startStore(storeStatus));
  const { env } = process;
  const program = await ensureCollector({ env, log: line => console.error(line) });
  const { child, otlpUrl, scrape } = await startCollector(
    program,
    { config: CONFIG, zipkinUrl: store.url, everyMs: 1_000, sampling },
    { dataDir: scratch.path, env },
  );
  starting.defer(async () => void (await child.stop(5_000)));
  const started = starting.move();
  const ask = async (url: string, init: RequestInit = {}) => {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(LIMIT_MS) });
    assert.equal(answer.status, 200, url);
    return answer.text();
  };
  return {
    /** Posts a span over OTLP, as a service does at its end, and returns its id. */
    async post(span: Posted): Promise<string> {
      const spanId = newId(8);
      const body = JSON.stringify(otlp(spanId, span));
      await ask(`${otlpUrl}/v1/traces`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      return spanId;
    },
    /** Returns the sum of a metric of the collector itself, over the series with `label`. */
    async figure(name: string, label = ''): Promise<number> {
      const lines = (await ask(`http://${scrape.itself}/metrics`)).split('\n');
      const some = lines.filter(line => line.split(/[ {]/, 1)[0] === name && line.includes(label));
      return some.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    },
    stored: store.spans,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

function otlp(
  spanId: string,
  { traceId, name = 'GET', parentSpanId = newId(8), seconds = 0.01, isError, attributes = {} }: Posted,
): object {
  const end = Date.now();
  const pairs = (of: Record<string, string>) =>
    Object.entries(of).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const span = {
    ...{ traceId, spanId, parentSpanId, name, kind: 2, attributes: pairs(attributes) },
    startTimeUnixNano: `${end - seconds * 1_000}000000`,
    endTimeUnixNano: `${end}000000`,
    status: isError ? { code: 2 } : {},
  };
  const resource = { attributes: pairs({ 'service.name': 'gateway' }) };
  return { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] };
}

type Sampling = Awaited<ReturnType<typeof startSampling>>;

/** Waits until the collector has decided on this many traces. Returns how many of them it keeps. */
async function keptOf(count: number, { figure }: Sampling): Promise<number> {
  await until(`${count} traces are decided on`, async () => (await figure(DECISIONS)) >= count, PATIENCE);
  return figure(DECISIONS, 'sampled="true"');
}

const comes = (what: string, ids: readonly string[], { stored }: Sampling) =>
  until(what, () => ids.every(id => stored.has(id)), PATIENCE);

test('keeps an upload from its first spans on, errors, and slow requests', BOUNDED, async () => {
  await using collector = await startSampling({ DECISION_WAIT: '1s', SHARE_OF_THE_REST: '0' });
  const { post, stored } = collector;
  const [upload, failed, slow, usual] = [newId(16), newId(16), newId(16), newId(16)];
  // The span that looks up the link arrives before any span has the upload's id.
  const lookUp = await post({ traceId: upload });
  const attributes = { 'recording.upload.id': randomUUID() };
  const found = await post({ traceId: upload, name: 'find uploads', attributes });
  const error = await post({ traceId: failed, isError: true });
  const late = await post({ traceId: slow, seconds: 2 });
  const dropped = await post({ traceId: usual });
  assert.equal(await keptOf(4, collector), 3);
  // Sends a span late: the upload's body takes longer than the collector waits before it decides.
  const land = await post({ traceId: upload, name: 'land', attributes });
  const webhook = await post({ traceId: upload, name: 'webhook submission.created' });
  await comes('the kept spans', [lookUp, found, land, webhook, error, late], collector);
  assert.ok(!stored.has(dropped));
});

test('counts lost spans under the names that an alert reads', BOUNDED, async () => {
  const variables = { DECISION_WAIT: '1s', SHARE_OF_THE_REST: '100', WAITING_TRACES: '1', STORE_WAIT: '5s' };
  await using collector = await startSampling(variables, 503);
  for (let traces = 0; traces < 2; traces++) await collector.post({ traceId: newId(16) });
  for (const name of [
    'otelcol_exporter_send_failed_spans',
    'otelcol_processor_tail_sampling_sampling_trace_dropped_too_early',
  ])
    await until(`${name} grows`, async () => (await collector.figure(name)) > 0, PATIENCE);
});

test('decides on a trace at the end of its request: keeps all of a slow or late-failing one', BOUNDED, async () => {
  const sampling = { DECISION_WAIT: '120s', DECISION_WAIT_AFTER_ROOT: '1s', SHARE_OF_THE_REST: '0' };
  await using collector = await startSampling(sampling);
  const { post, stored } = collector;
  const [failed, slow, usual] = [newId(16), newId(16), newId(16)];
  const early = [await post({ traceId: failed }), await post({ traceId: slow })];
  const dropped = await post({ traceId: usual, parentSpanId: '' });
  assert.equal(await keptOf(1, collector), 0);
  const ends = [
    await post({ traceId: failed, parentSpanId: '', isError: true }),
    await post({ traceId: slow, parentSpanId: '', seconds: 2 }),
  ];
  await comes('the kept spans', [...early, ...ends], collector);
  assert.ok(!stored.has(dropped));
});
