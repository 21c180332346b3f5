import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { startReceiver } from './webhook-receiver.ts';

const post = (url: string, body: string) => fetch(url, { method: 'POST', body });

test('keeps requests, returns the configured status, and returns the awaited requests', async () => {
  await using receiver = await startReceiver();
  const coming = receiver.waitFor(2, ({ path }) => path === '/hook');
  assert.equal((await post(receiver.url, 'one')).status, 204);
  receiver.respond = (_request, response) => response.writeHead(500).end();
  assert.equal((await post(new URL('/other', receiver.url).href, 'two')).status, 500);
  assert.equal((await post(receiver.url, 'three')).status, 500);
  assert.deepEqual(
    (await coming).map(({ body }) => body.toString()),
    ['one', 'three'],
  );
  assert.equal(receiver.received.length, 3);
});

test('ignores a request that breaks off', async () => {
  await using receiver = await startReceiver();
  const socket = connect(receiver.port, '127.0.0.1');
  socket.write('POST /hook HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf', () => socket.destroy());
  await new Promise(resolve => socket.once('close', resolve));
  assert.equal((await post(receiver.url, 'whole')).status, 204);
  assert.deepEqual(
    receiver.received.map(({ body }) => body.toString()),
    ['whole'],
  );
});
