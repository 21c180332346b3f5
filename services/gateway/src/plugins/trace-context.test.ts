import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { parseTrustedProxies } from '../adapters/trusted-proxies.ts';
import { readConfig } from '../config.ts';
import { type TrustedTrace, traced } from './trace-context.ts';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const behind = (text: string) => parseTrustedProxies(text)!;
const TRUSTED: TrustedTrace = { trustedProxies: behind('1'), trustTraceparent: true };
const FROM_PROXY = ['X-Forwarded-For', '203.0.113.9'];

/**
 * Sends a request with the headers `sent`. Returns the headers that the handler gets, as alternating names and values.
 */
async function headersRead(trusted: TrustedTrace, sent: string[]): Promise<IncomingHttpHeaders> {
  const server = createServer(traced((_request, response) => response.end(), trusted));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const seen = once(server, 'request');
    const { port } = server.address() as AddressInfo;
    const call = request({ port, host: '127.0.0.1', headers: ['Host', 'x', ...sent], agent: false }).end();
    const [incoming] = await seen;
    const [answer] = await once(call, 'response');
    answer.resume();
    return incoming.headers;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('the traceparent of a trusted proxy is kept, and its baggage is dropped', async () => {
  const sent = [
    ...FROM_PROXY,
    'traceparent',
    TRACEPARENT,
    'tracestate',
    'a=1',
    'tracestate',
    'b=2',
    'baggage',
    'user=1',
  ];
  const read = await headersRead(TRUSTED, sent);
  assert.equal(read.traceparent, TRACEPARENT);
  assert.equal(read.tracestate, 'a=1, b=2');
  assert.equal(read.baggage, undefined);
  assert.equal(read['x-forwarded-for'], '203.0.113.9');
});

test('the traceparent of a proxy with a trusted address is kept', async () => {
  const trusted = { trustedProxies: behind('127.0.0.1'), trustTraceparent: true };
  const read = await headersRead(trusted, [...FROM_PROXY, 'traceparent', TRACEPARENT]);
  assert.equal(read.traceparent, TRACEPARENT);
});

test('a trace context of any other client is dropped', async () => {
  const untrusted: Array<[TrustedTrace, string[]]> = [
    // The operator did not enable this.
    [{ trustedProxies: behind('1'), trustTraceparent: false }, FROM_PROXY],
    [{ trustedProxies: behind('0'), trustTraceparent: true }, FROM_PROXY],
    // The request did not come through all proxies.
    [TRUSTED, []],
    [TRUSTED, ['X-Forwarded-For', ' , ']],
    [{ trustedProxies: behind('2'), trustTraceparent: true }, FROM_PROXY],
    // The peer is not one of the proxies.
    [{ trustedProxies: behind('10.0.0.0/8'), trustTraceparent: true }, FROM_PROXY],
  ];
  for (const [trusted, sent] of untrusted) {
    const read = await headersRead(trusted, [
      ...sent,
      'traceparent',
      TRACEPARENT,
      'tracestate',
      'a=1',
      'baggage',
      'b=1',
    ]);
    for (const name of ['traceparent', 'tracestate', 'baggage']) assert.equal(read[name], undefined, name);
  }
});

test('invalid trace headers of a proxy are dropped: malformed, several, too long, or in another form', async () => {
  const lies = [
    ['traceparent', 'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
    ['traceparent', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`],
    ['traceparent', `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`],
    ['traceparent', TRACEPARENT.toUpperCase()],
    ['traceparent', `${TRACEPARENT}-extra`],
    ['traceparent', TRACEPARENT, 'traceparent', TRACEPARENT],
    ['traceparent', ''],
    ['b3', `${'1'.repeat(32)}-${'1'.repeat(16)}-1`],
    ['X-B3-TraceId', '1'.repeat(32), 'X-B3-SpanId', '1'.repeat(16), 'X-B3-Sampled', '1'],
  ];
  for (const lie of lies) {
    const read = await headersRead(TRUSTED, [...FROM_PROXY, ...lie, 'tracestate', 'a=1']);
    const context = Object.keys(read).filter(name => /^(trace|baggage|b3|x-b3)/.test(name));
    assert.deepEqual(context, [], lie.join(': '));
  }
  const long = await headersRead(TRUSTED, [...FROM_PROXY, 'traceparent', TRACEPARENT, 'tracestate', 'a'.repeat(513)]);
  assert.equal(long.traceparent, TRACEPARENT);
  assert.equal(long.tracestate, undefined);
});

test('a traceparent is not trusted without a proxy', () => {
  const env = {
    TRUST_TRACEPARENT: 'true',
    PUBLIC_BASE_URL: 'http://x',
    SUBMISSIONS_HTTP: 'http://x',
    INTERNAL_PLAINTEXT: 'true',
  };
  const peers = { PROJECTS_GRPC: 'x:1', SUBMISSIONS_GRPC: 'x:1', WEBHOOKS_GRPC: 'x:1' };
  assert.throws(() => readConfig({ ...env, ...peers }), /TRUST_TRACEPARENT needs TRUSTED_PROXIES/);
  for (const proxies of ['1', '10.0.0.0/8'])
    assert.equal(readConfig({ ...env, ...peers, TRUSTED_PROXIES: proxies }).trustTraceparent, true);
});
