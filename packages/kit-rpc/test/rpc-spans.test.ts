import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace';
import { type ExportsServiceServer, ExportsServiceService } from '@recording-request/proto/exports/v1/exports';
import { everyServiceEnv } from '@recording-request/testing/test-certificates';
import { until } from '@recording-request/testing/wait';

const exporter = new InMemorySpanExporter();
const sdk = new NodeSDK({ spanProcessors: [new SimpleSpanProcessor({ exporter })], metricReaders: [] });
sdk.start();
after(() => sdk.shutdown());
// Import this only after the SDK has started, as in a service.
const { DomainError } = await import('@recording-request/kit/errors');
const { createClient } = await import('../src/grpc-client.ts');
const { implement, startGrpcServer } = await import('../src/grpc-server.ts');
const { openCaller } = await import('../src/internal/internal.ts');
const { createLogger } = await import('@recording-request/kit/log');
const { inSpan } = await import('@recording-request/kit-telemetry/span');

const internal = await openCaller(await everyServiceEnv(), 'gateway');
after(() => internal[Symbol.dispose]());
const request = { ownerId: 'o', projectId: 'p', format: 1, filter: undefined, includeLinks: false } as const;
const NAME = 'recording.exports.v1.ExportsService/Export';

/** Makes a call within a span. Returns the spans of the call by their kind. */
async function spansOf(handler: ExportsHandler, call: (exports: ExportsClient) => Promise<unknown>) {
  const server = await startGrpcServer({
    listen: '127.0.0.1:0',
    log: createLogger('test', 'silent'),
    internal,
    callersOf: () => ['gateway'],
    services: [
      implement<Pick<ExportsServiceServer, 'export'>>({ export: ExportsServiceService.export }, { export: handler }),
    ],
  });
  const exports = createClient<ExportsServiceServer>(
    ExportsServiceService,
    server.address,
    internal.peer('submissions'),
  );
  try {
    exporter.reset();
    await inSpan('land', {}, () => call(exports)).catch(() => {});
    const kinds = () => Map.groupBy(exporter.getFinishedSpans(), ({ kind }) => kind);
    const spans = await until('both spans end', () => {
      const found = kinds();
      return found.has(SpanKind.CLIENT) && found.has(SpanKind.SERVER) && found;
    });
    const one = (kind: SpanKind) => spans.get(kind)![0] as ReadableSpan;
    const caller = await until('the caller ends', () => exporter.getFinishedSpans().find(each => each.name === 'land'));
    return { caller, client: one(SpanKind.CLIENT), server: one(SpanKind.SERVER) };
  } finally {
    exports.close();
    await server.close(0);
  }
}

type ExportsClient = ReturnType<typeof createClient<ExportsServiceServer>>;
type ExportsHandler = Parameters<typeof implement<Pick<ExportsServiceServer, 'export'>>>[1]['export'];

const readAll = async (exports: ExportsClient) => {
  for await (const _ of exports.export(request));
};

test('a call has a client span and a server span below it, and the handler’s spans are below both', async () => {
  const { caller, client, server } = await spansOf(async function* () {
    await inSpan('media job', {}, async () => {});
    yield { chunk: Buffer.alloc(0) };
  }, readAll);
  assert.deepEqual([client.name, server.name], [NAME, NAME]);
  assert.equal(client.parentSpanContext?.spanId, caller.spanContext().spanId);
  assert.equal(server.parentSpanContext?.spanId, client.spanContext().spanId);
  assert.equal(server.spanContext().traceId, caller.spanContext().traceId);
  const inside = exporter.getFinishedSpans().find(({ name }) => name === 'media job');
  assert.equal(inside?.parentSpanContext?.spanId, server.spanContext().spanId);
  assert.equal(client.attributes['server.address'], '127.0.0.1');
  for (const { attributes, status } of [client, server]) {
    assert.equal(attributes['rpc.system.name'], 'grpc');
    assert.equal(attributes['rpc.method'], NAME);
    assert.equal(attributes['rpc.status_code'], 'OK');
    assert.equal(attributes['error.type'], undefined);
    assert.equal(status.code, SpanStatusCode.UNSET);
  }
});

test('both spans of a failed call have the reason, and are errors only if the caller could not prevent the failure', async () => {
  for (const [code, word, fault] of [
    ['not_found', 'NOT_FOUND', undefined],
    ['unavailable', 'UNAVAILABLE', 'UNAVAILABLE'],
  ] as const) {
    const { client, server } = await spansOf(
      // biome-ignore lint/correctness/useYield: it fails before.
      async function* () {
        throw new DomainError(code, 'There is none.');
      },
      readAll,
    );
    for (const { attributes, status } of [client, server]) {
      assert.equal(attributes['rpc.status_code'], word);
      assert.equal(attributes['error.type'], fault);
      assert.equal(attributes['recording.error.message'], 'There is none.');
      assert.equal(status.code, fault ? SpanStatusCode.ERROR : SpanStatusCode.UNSET);
    }
  }
});
