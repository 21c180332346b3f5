import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createRandom } from '@recording-request/stack/random';
import { createGatewayClient } from './gateway-client.ts';

test('an answer is an incident from status 500 on, or if it differs from the wanted status', async () => {
  const server = createServer(({ url }, response) => response.writeHead(Number(url!.slice(1))).end('said'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const client = createGatewayClient(() => [`http://127.0.0.1:${port}`], createRandom('incidents'));
    await client.ask('/404');
    await client.ask('/200', { wanted: 200 });
    assert.deepEqual(client.incidents, []);
    await client.ask('/404', { wanted: 200 });
    await client.ask('/204', { wanted: 200 });
    await client.ask('/503');
    await client.ask('/503', { wanted: 200 });
    assert.deepEqual(
      client.incidents.map(({ what }) => what),
      ['GET /404 → 404: said', 'GET /204 → 204: ', 'GET /503 → 503: said', 'GET /503 → 503: said'],
    );
  } finally {
    server.close();
  }
});

test('the incident of a cut or endless answer has its request id', async () => {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'request-id': `of ${request.url}`, 'content-length': '10' });
    response.write('half ');
    if (request.url === '/broken') setImmediate(() => request.socket.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const client = createGatewayClient(() => [`http://127.0.0.1:${port}`], createRandom('broken'));
    await assert.rejects(client.ask('/broken'));
    await assert.rejects(client.ask('/endless', { limitMs: 200 }));
    assert.deepEqual(
      client.incidents.map(({ requestId }) => requestId),
      ['of /broken', 'of /endless'],
    );
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
