import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { until } from '@recording-request/testing/wait';
import { createObjects } from '../src/objects.ts';

const WAIT = { limitMs: 30_000 };
const type = { contentType: 'application/octet-stream' };

/** A store whose responses come from `behave`, and the number of its open connections. */
async function brokenStore(behave: RequestListener, requestMs = 5_000) {
  const server: Server = createServer((request, response) => behave(request.resume(), response));
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    objects: createObjects(
      { s3Endpoint: endpoint, s3AccessKey: () => 'a', s3SecretKey: () => 'b', s3Region: 'r', s3Bucket: 'bucket' },
      { requestMs },
    ),
    connections: () =>
      new Promise<number>((resolve, reject) => server.getConnections((e, n) => (e ? reject(e) : resolve(n)))),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

const untilNone = (count: () => Promise<number>) =>
  until('the connections of abandoned requests are closed', async () => (await count()) === 0, WAIT);

test('a store that answers 503 keeps no connection forever, and is used again once it is back', async () => {
  let down = true;
  await using store = await brokenStore((_, response) =>
    down ? response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>') : response.writeHead(200).end(),
  );
  // More puts than connections.
  const puts = Array.from({ length: 300 }, (_, i) => store.objects.put(`k${i}`, Buffer.from('x'), type));
  const results = await Promise.allSettled(puts);
  assert.ok(results.every(result => result.status === 'rejected'));
  down = false;
  await store.objects.put('back', Buffer.from('x'), type);
});

test('requests to a store that does not answer fail in bounded time and release their connections', async () => {
  await using store = await brokenStore(() => {}, 300);
  const startedAt = performance.now();
  const calls = [
    store.objects.put('k', Buffer.from('x'), type),
    store.objects.put('k', Readable.from([Buffer.alloc(9 * 1024 ** 2)]), type),
    store.objects.get('k'),
    store.objects.stat('k'),
    store.objects.remove(['k']),
    Array.fromAsync(store.objects.list('')),
    store.objects.endOpenPuts(new Date()),
    store.objects.holdings('a/'),
    store.objects.purge('a/', ['b']),
    store.objects.ensureBucket(),
  ];
  for (const result of await Promise.allSettled(calls)) {
    assert.equal(result.status, 'rejected');
    assert.match(String((result as PromiseRejectedResult).reason), /took longer than 300 ms/);
  }
  assert.ok(performance.now() - startedAt < 30_000);
  await untilNone(store.connections);
});

test('a store that stops answering after the question about versions blocks no removal forever', async () => {
  for (const status of ['Enabled', '']) {
    await using store = await brokenStore(({ url = '' }, response) => {
      if (/[?&]versioning/.test(url))
        response.end(`<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`);
      else if (/[?&]uploads/.test(url))
        response.end('<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>');
    }, 1_500);
    const late = { message: /^listing (versions|objects) took longer than 1500 ms/ };
    await assert.rejects(store.objects.holdings('a/'), late);
    await assert.rejects(store.objects.purge('a/', ['b']), late);
    await untilNone(store.connections);
  }
});

test('an aborted call leaves no connection open', async () => {
  await using store = await brokenStore(() => {}, 60_000);
  const stop = new AbortController();
  const getting = store.objects.get('k', { signal: stop.signal });
  const putting = store.objects.put('k', Buffer.from('x'), { ...type, signal: stop.signal });
  await until('both requests have reached the store', async () => (await store.connections()) === 2, WAIT);
  stop.abort(new Error('called off'));
  await assert.rejects(getting, /called off/);
  await assert.rejects(putting, /called off/);
  await untilNone(store.connections);
});

test('an object whose connection breaks in the middle is an error, not a short object', async () => {
  await using store = await brokenStore((_, response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('some');
    setImmediate(() => response.destroy());
  });
  const stream = await store.objects.get('k');
  await assert.rejects(async () => {
    for await (const _ of stream);
  });
});
