import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestOptions, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { context, metrics, propagation, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { type DataPoint, type Histogram, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { uuidv7 } from '@recording-request/kit/ids';
import { until } from '@recording-request/testing/wait';
import { startSending } from './signals.ts';

class OnDemand extends MetricReader {
  protected onForceFlush = async () => {};
  protected onShutdown = async () => {};
}
const exporter = new InMemorySpanExporter();
const reader = new OnDemand();
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
// Import this only after the SDK has started, because an instrument belongs to the provider that exists when the code
// creates the instrument.
const { inRequest, nameRequest, noteRequest, whenClosed } = await import('./http-requests.ts');

let answer: (request: IncomingMessage, response: ServerResponse) => void;
const server = createServer((incoming, response) => inRequest(incoming, response, () => answer(incoming, response)));
before(() => once(server.listen(0, '127.0.0.1'), 'listening'));
after(() => server.close());
beforeEach(() => {
  startSending({ traces: true, metrics: true, logs: false });
  exporter.reset();
});

const port = () => (server.address() as AddressInfo).port;

async function call(path: string, options: RequestOptions = {}): Promise<void> {
  const sent = request({ host: '127.0.0.1', port: port(), path, agent: false, ...options }).end();
  const [incoming] = (await once(sent, 'response')) as [IncomingMessage];
  await incoming.resume().toArray();
}

const spanOf = () => until('the request has its span', () => exporter.getFinishedSpans()[0]);

async function measured(route: string): Promise<DataPoint<Histogram>[]> {
  const { resourceMetrics } = await reader.collect();
  const found = resourceMetrics.scopeMetrics.flatMap(scope => scope.metrics);
  const points = found.flatMap(({ dataPoints }) => dataPoints as DataPoint<Histogram>[]);
  return points.filter(({ attributes }) => attributes['http.route'] === route);
}

test('a request has its route, and continues the trace in its headers', async () => {
  let inside: string | undefined;
  let atClose: string | undefined;
  answer = (incoming, response) => {
    nameRequest(incoming, '/projects/:projectId', '203.0.113.9');
    inside = trace.getActiveSpan()?.spanContext().traceId;
    whenClosed(response, () => {
      atClose = trace.getActiveSpan()?.spanContext().traceId;
    });
    response.writeHead(201).end('done');
  };
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const projectId = uuidv7();
  await call(`/projects/${projectId}?a=b&c&d=e=f`, {
    method: 'POST',
    headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
  });
  const span = await spanOf();
  assert.deepEqual([inside, atClose], [traceId, traceId]);
  assert.equal(span.spanContext().traceId, traceId);
  assert.equal(span.parentSpanContext?.spanId, 'b7ad6b7169203331');
  assert.equal(span.name, 'POST /projects/{projectId}');
  const { 'network.peer.port': peerPort, ...attributes } = span.attributes;
  assert.ok(Number(peerPort) > 0);
  assert.deepEqual(attributes, {
    'http.request.method': 'POST',
    'http.response.status_code': 201,
    'http.route': '/projects/{projectId}',
    'url.scheme': 'http',
    'url.path': `/projects/${projectId}`,
    'url.query': 'a=REDACTED&REDACTED&d=REDACTED',
    'network.protocol.version': '1.1',
    'network.peer.address': '127.0.0.1',
    'server.address': '127.0.0.1',
    'server.port': port(),
    'client.address': '203.0.113.9',
  });
  const [point] = await measured('/projects/{projectId}');
  assert.equal(point!.value.count, 1);
  assert.deepEqual(point!.attributes, {
    'http.request.method': 'POST',
    'http.route': '/projects/{projectId}',
    'http.response.status_code': '201',
    'url.scheme': 'http',
    'network.protocol.version': '1.1',
  });
});

test('a path and a query show the words of the route and ids, and nothing else that a client wrote', async () => {
  const token = `vr_${'a'.repeat(38)}`;
  answer = (incoming, response) => {
    if (incoming.url!.startsWith('/r/')) nameRequest(incoming, '/r/:token/links/:tokenId/remind');
    response.end();
  };
  await call(`/r/${token}/links/ana@example.com/remind?Ana%20Miller&ana@example.com=1&ref=P-17`);
  const { attributes } = await spanOf();
  assert.equal(attributes['url.path'], `/r/${token}/links/REDACTED/remind`);
  assert.equal(attributes['url.query'], 'REDACTED&REDACTED&ref=REDACTED');
  exporter.reset();
  await call('/links/Ana');
  assert.equal((await spanOf()).attributes['url.path'], '/REDACTED/REDACTED');
});

test('a request has the ids that are found while it is served, even by code outside its context', async () => {
  const [projectId, submissionId] = [uuidv7(), uuidv7()];
  answer = (incoming, response) => {
    noteRequest(incoming, { projectId, token: 'vr_secret' });
    context.with(ROOT_CONTEXT, () => noteRequest(incoming, { submissionId }));
    response.end();
  };
  await call('/');
  const { attributes } = await spanOf();
  assert.equal(attributes['recording.project.id'], projectId);
  assert.equal(attributes['recording.submission.id'], submissionId);
  assert.ok(!Object.values(attributes).includes('vr_secret'));
});

test('a status of 500 and above is an error, a client error is not', async () => {
  for (const [status, expected] of [
    [404, SpanStatusCode.UNSET],
    [503, SpanStatusCode.ERROR],
  ] as const) {
    exporter.reset();
    answer = (incoming, response) => {
      nameRequest(incoming, `/status/${status}`);
      response.writeHead(status).end();
    };
    await call('/');
    const span = await spanOf();
    assert.equal(span.status.code, expected);
    const [point] = await measured(`/status/${status}`);
    assert.equal(point!.attributes['error.type'], status === 503 ? '503' : undefined);
  }
});

test('a client that disconnects before its answer is not an error, and has no status', async () => {
  const came = Promise.withResolvers<void>();
  answer = incoming => {
    nameRequest(incoming, '/gone');
    came.resolve();
  };
  const sent = request({ host: '127.0.0.1', port: port(), path: '/gone', agent: false }).end();
  sent.on('error', () => {});
  await came.promise;
  sent.destroy();
  const span = await spanOf();
  assert.equal(span.status.code, SpanStatusCode.UNSET);
  assert.equal(span.attributes['http.response.status_code'], undefined);
  const [point] = await measured('/gone');
  assert.deepEqual(
    [point!.attributes['http.response.status_code'], point!.attributes['error.type']],
    [undefined, undefined],
  );
});

test('a health check is neither traced nor measured; while telemetry is off, no request is', async () => {
  const served: string[] = [];
  answer = (incoming, response) => {
    served.push(incoming.url!);
    nameRequest(incoming, '/none');
    assert.equal(trace.getActiveSpan(), undefined);
    response.end();
  };
  await call('/healthz');
  startSending({ traces: false, metrics: false, logs: true });
  await call('/other');
  assert.deepEqual(served, ['/healthz', '/other']);
  assert.deepEqual(exporter.getFinishedSpans(), []);
  assert.deepEqual(await measured('/none'), []);
});
