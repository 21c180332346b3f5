import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { DomainError } from '@recording-request/kit/errors';
import { until } from '@recording-request/testing/wait';
import { PROJECT_ID, startTestGateway, type TestGateway } from './test-service.ts';

const MAX = 5;

function open({ base }: TestGateway): Socket {
  const socket = connect(Number(new URL(base).port), '127.0.0.1');
  socket.on('error', () => {});
  return socket;
}

/** Returns whether a connection gets an answer; it stays open. */
async function isServed(socket: Socket): Promise<boolean> {
  socket.write('GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n');
  return Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)]);
}

async function isRefused(gateway: TestGateway): Promise<boolean> {
  const socket = open(gateway);
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return !isOpen;
}

test('a connection beyond the limit of an address is closed, until another one ends', async () => {
  await using gateway = await startTestGateway({}, { CONNECTIONS_PER_ADDRESS: String(MAX) });
  const idle = Array.from({ length: MAX - 1 }, () => open(gateway));
  await Promise.all(idle.map(socket => once(socket, 'connect')));
  const last = open(gateway);
  assert.equal(await isServed(last), true);
  assert.equal(await isServed(open(gateway)), false);
  idle[0]!.destroy();
  await until('a place is free again', () => isServed(open(gateway)));
  for (const socket of [...idle, last]) socket.destroy();
});

test('behind a proxy no connection is closed, because all clients share its address', async () => {
  for (const proxies of ['1', '127.0.0.1']) {
    await using gateway = await startTestGateway({}, { CONNECTIONS_PER_ADDRESS: '1', TRUSTED_PROXIES: proxies });
    const sockets = Array.from({ length: MAX }, () => open(gateway));
    for (const socket of sockets) assert.equal(await isServed(socket), true);
    for (const socket of sockets) socket.destroy();
  }
});

test('a peer that is not in the list of proxies keeps its limit', async () => {
  await using gateway = await startTestGateway({}, { CONNECTIONS_PER_ADDRESS: '1', TRUSTED_PROXIES: '10.0.7.0/24' });
  const first = open(gateway);
  assert.equal(await isServed(first), true);
  assert.equal(await isServed(open(gateway)), false);
  first.destroy();
});

test('a head of more than 16 kB is 431, and an upgrade to another protocol is answered as HTTP', async () => {
  await using gateway = await startTestGateway();
  const ask = async (head: string) => {
    const socket = open(gateway);
    socket.write(`${head}\r\nHost: h\r\n\r\n`);
    const [answer] = await once(socket, 'data');
    socket.destroy();
    return String(answer);
  };
  assert.match(await ask(`GET /healthz HTTP/1.1\r\nX: ${'x'.repeat(16_500)}`), /^HTTP\/1\.1 431 /);
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==';
  assert.match(await ask(`GET /healthz HTTP/1.1\r\n${upgrade}`), /^HTTP\/1\.1 200 /);
  assert.match(
    await ask('GET /healthz HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c'),
    /^HTTP\/1\.1 200 /,
  );
  const continued = await ask('POST /api/nothing HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 5');
  assert.match(continued, /^HTTP\/1\.1 (?:100|404) /);
});

test('the gateway does not use an id or trace that a client sends', async () => {
  await using gateway = await startTestGateway();
  const id = '0af7651916cd43dd8448eb211c80319c';
  const traceparent = `00-${id}-b7ad6b7169203331-01`;
  const answer = await fetch(`${gateway.base}/healthz`, {
    headers: { 'request-id': id, 'x-request-id': id, traceparent, tracestate: 'a=1', baggage: 'b=1' },
  });
  const given = answer.headers.get('request-id');
  assert.match(given ?? '', /^[0-9a-f]{32}$/);
  assert.notEqual(given, id);
});

test('a stop ends with the last answer, although its client keeps the connection', { timeout: 20_000 }, async () => {
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const getProject = async () => {
    asked.resolve();
    await answered.promise;
    throw new DomainError('not_found', 'There is no such project.');
  };
  await using gateway = await startTestGateway({ projects: { getProject } });
  const socket = open(gateway);
  const { authorization } = gateway.bearer;
  socket.write(`GET /api/projects/${PROJECT_ID} HTTP/1.1\r\nHost: h\r\nAuthorization: ${authorization}\r\n\r\n`);
  await asked.promise;
  const stopped = gateway.gateway.stop();
  await until('the gateway accepts no more connections', () => isRefused(gateway));
  answered.resolve();
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 404 /);
  await stopped;
});
