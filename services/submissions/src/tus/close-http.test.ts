import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { closeHttp } from './close-http.ts';

test('a server that stops closes each kept connection after a response, and cuts no request', async () => {
  const gates: PromiseWithResolvers<void>[] = [];
  const server = createServer(async (_, response) => {
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    await gate.promise;
    response.end('done');
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { port } = server.address() as AddressInfo;
  const ask = async () => {
    const requested = request({ port, host: '127.0.0.1', agent }).end();
    const [answer] = (await once(requested, 'response')) as [IncomingMessage];
    await once(answer.resume(), 'end');
    return answer.headers.connection;
  };
  const first = ask();
  await once(server, 'request');
  const closed = closeHttp(server, 60_000);
  gates[0]!.resolve();
  assert.equal(await first, 'keep-alive', 'the request began before the stop');
  const second = ask();
  await once(server, 'request');
  gates[1]!.resolve();
  assert.equal(await second, 'close');
  await closed;
  agent.destroy();
});

test('a request on its way on an idle connection when the stop begins is answered, and idle connections close', async () => {
  const server = createServer((_, response) => response.end('done'));
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [used, idle] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  const ask = async () => {
    used.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    return await Promise.race([
      once(used, 'data').then(([bytes]) => String(bytes)),
      once(used, 'end').then(() => 'cut'),
    ]);
  };
  assert.match(await ask(), /done/);
  idle.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(idle, 'data');
  const idleEnds = once(idle.resume(), 'end');
  const closed = closeHttp(server, 60_000);
  assert.match(await ask(), /connection: close[\s\S]*done/i);
  await Promise.all([closed, idleEnds]);
});
