import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { unsentBytes, untilSent } from './unsent-bytes.ts';

// More bytes than the connection delivers while its client reads nothing, but few enough for the kernel to buffer all
// of them.
const BYTES = 2 ** 20;
const LIMIT_MS = 20_000;

test('untilSent waits for bytes that a slow client has not read, also after its connection closed', async () => {
  const written = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    response.writeHead(200, { connection: 'close' });
    response.end(Buffer.alloc(BYTES), () => written.resolve());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [answer] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage];
  await written.promise;
  server.close();
  await once(server, 'close');
  assert.ok((await unsentBytes(port)) > 0, 'the client has not read it');
  const before = performance.now();
  await untilSent(port, 100);
  assert.ok(performance.now() - before >= 100, 'untilSent waits for it');
  let read = 0;
  answer.on('data', chunk => {
    read += chunk.length;
  });
  await untilSent(port, LIMIT_MS);
  assert.equal(await unsentBytes(port), 0);
  if (!answer.complete) await once(answer, 'end');
  assert.equal(read, BYTES);
});
