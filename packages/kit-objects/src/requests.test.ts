import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'node:test';
import { createObjects } from './objects.ts';

/**
 * A store that closes a connection without an answer at the second request; with `answers` of 0, at the first request.
 */
async function endingStore(answers: number) {
  const requests = new Map<Socket, number>();
  const server = createServer((request, response) => {
    const count = (requests.get(request.socket) ?? 0) + 1;
    requests.set(request.socket, count);
    if (count > answers) return void request.socket.resetAndDestroy();
    request.resume().once('end', () => response.writeHead(200, { etag: '"e"', 'content-length': '0' }).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const s3Endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { s3Endpoint, s3AccessKey: () => 'a', s3SecretKey: () => 'b', s3Region: 'r', s3Bucket: 'bucket' };
  return {
    objects: createObjects(settings),
    requests: () => [...requests.values()].reduce((sum, count) => sum + count, 0),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

test('the store closing an idle connection causes no failure: the request is retried', async () => {
  await using store = await endingStore(1);
  const { put, stat } = store.objects;
  for (let time = 0; time < 5; time++) {
    await put(`clip ${time}`, Buffer.from('bytes'), { contentType: 'video/webm' });
    assert.ok(await stat('clip'));
  }
});

test('a store that never answers gets a limited number of retries', async () => {
  await using store = await endingStore(0);
  await assert.rejects(store.objects.stat('clip'), { code: 'ECONNRESET' });
  assert.equal(store.requests(), 1);
});
