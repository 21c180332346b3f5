import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, type RequestListener, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { mintToken } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import { type MediaProxy, startMediaProxy } from '@recording-request/stack/media-proxy';
import { until } from '@recording-request/testing/wait';
import { CONTENT, type FakeStore, serveContent, startFakeStore } from './fake-store.ts';
import { mediaContract } from './media-contract.ts';
import { fakeServices, OFFLOAD, PROXIED, SECRET, SUBMISSION_PATH } from './offload.ts';
import { videoBounds } from './stream-bounds.ts';
import { OWNER_ID, SUBMISSION_ID, startTestGateway, type TestGateway } from './test-service.ts';

let dir: string;
let store: FakeStore;
/**
 * A second address of the same store, for nginx only, so that the test can distinguish nginx's requests from the
 *  gateway's.
 */
let nginxStore: FakeStore;
let gateway: TestGateway;
/** The same gateway without MEDIA_OFFLOAD. */
let plain: TestGateway;
let proxy: MediaProxy;

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'recording-request-offload-'));
  store = await startFakeStore();
  nginxStore = await startFakeStore();
  gateway = await startTestGateway(fakeServices(store), OFFLOAD);
  plain = await startTestGateway(fakeServices(store));
  proxy = await startMediaProxy({ dir, gateway: gateway.base, store: nginxStore.url, secret: SECRET });
});
after(async () => {
  await proxy[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
  await plain[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await nginxStore[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

function answer(listener: RequestListener): void {
  store.answer = listener;
  nginxStore.answer = listener;
}

/** Returns the requests that the store gets from now on, each with its sender: the gateway or nginx. */
function watchStore() {
  const recording = (requested: IncomingMessage[]): RequestListener => {
    return (incoming, response) => {
      requested.push(incoming);
      serveContent(incoming, response);
    };
  };
  const requested = { byGateway: [] as IncomingMessage[], byNginx: [] as IncomingMessage[] };
  store.answer = recording(requested.byGateway);
  nginxStore.answer = recording(requested.byNginx);
  return requested;
}

const ask = (base: string, headers: Record<string, string> = {}, path = `${SUBMISSION_PATH}/video`, from = gateway) =>
  fetch(`${base}${path}`, { headers: { ...from.bearer, ...headers } });

mediaContract('media that nginx sends', {
  gateway: () => gateway,
  base: () => proxy.url,
  answer,
});

test('nginx sends the bytes, and no client headers to the store', async () => {
  const { byGateway, byNginx } = watchStore();
  const response = await ask(proxy.url, { range: 'bytes=1-', cookie: 'a=b', 'if-range': '"e1"', te: 'trailers' });
  assert.equal((await response.arrayBuffer()).byteLength, 999);
  assert.deepEqual([byGateway.length, byNginx.length], [0, 1]);
  assert.equal(byNginx[0]!.url, '/object?X-Amz-Signature=secret');
  assert.deepEqual(byNginx[0]!.headers, { host: new URL(store.url).host, range: 'bytes=1-999' });
});

test('every header is the same as without a proxy', async () => {
  answer((incoming, response) => {
    const foreign = { etag: '"store"', 'last-modified': new Date(0).toUTCString(), 'content-type': 'text/html' };
    for (const [name, value] of Object.entries({
      ...foreign,
      vary: 'Origin',
      'cache-control': 'public',
      server: 'MinIO',
    }))
      response.setHeader(name, value);
    for (const name of [
      'accept-ranges',
      'content-disposition',
      'x-amz-id-2',
      'strict-transport-security',
      'set-cookie',
    ])
      response.setHeader(name, 'of the store');
    serveContent(incoming, response);
  });
  const dashboard = `/project/${mintToken('prj')}/submissions/${SUBMISSION_ID}`;
  const paths = [
    `${SUBMISSION_PATH}/video`,
    `${SUBMISSION_PATH}/thumbnail-start`,
    `${dashboard}/video`,
    `${dashboard}/thumbnail-end`,
  ];
  const kinds: Record<string, string>[] = [
    {},
    { range: 'bytes=5-9' },
    { range: 'bytes=2000-' },
    { 'if-none-match': '*' },
  ];
  for (const path of paths)
    for (const headers of kinds) {
      const [own, offloaded] = await Promise.all([
        ask(plain.base, headers, path, plain),
        ask(proxy.url, headers, path),
      ]);
      const what = `${path} ${JSON.stringify(headers)}`;
      assert.equal(offloaded.status, own.status, what);
      assert.deepEqual(comparable(offloaded.headers), comparable(own.headers), what);
      assert.deepEqual(await offloaded.arrayBuffer(), await own.arrayBuffer(), what);
      assert.match(offloaded.headers.get('request-id') ?? '', /^[0-9a-f]{32}$/);
    }
  answer(serveContent);
});

// Headers that may differ between two requests for the same bytes.
const OWN = ['connection', 'date', 'keep-alive', 'request-id', 'server'];
const comparable = (headers: Headers) =>
  Object.fromEntries(
    [...headers]
      .filter(([name]) => !OWN.includes(name))
      .map(([name, value]) => [name, name === 'ratelimit' ? value.replaceAll(/\d+/g, 'n') : value])
      .sort(([one], [other]) => (one! < other! ? -1 : 1)),
  );

/** The headers that a proxy would add, for requests sent directly to the gateway. */
const FAKED: [why: string, headers: Record<string, string>][] = [
  ['says nothing', {}],
  ['has no secret', { ...PROXIED, 'x-media-offload-secret': '' }],
  ['has another secret', { ...PROXIED, 'x-media-offload-secret': SECRET.replace('a', 'b') }],
  ['has the beginning of the secret', { ...PROXIED, 'x-media-offload-secret': SECRET.slice(0, -1) }],
  ['came through no proxy', { ...PROXIED, 'x-forwarded-for': '' }],
  ['asks for something else', { ...PROXIED, 'x-media-offload': 'gives' }],
  ['sends X-Accel-Redirect itself', { ...PROXIED, 'x-media-offload-secret': '', 'x-accel-redirect': '@media_offload' }],
];
for (const [why, headers] of FAKED) {
  test(`a client that ${why} gets bytes, and no address`, async () => {
    const response = await ask(gateway.base, headers);
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), CONTENT);
    assert.deepEqual(comparable(response.headers), comparable((await ask(plain.base, {}, undefined, plain)).headers));
  });
}

test('the gateway sends the proxy the address of the bytes, and no bytes', async () => {
  const { byGateway } = watchStore();
  const response = await ask(gateway.base, { ...PROXIED, range: 'bytes=-5' });
  assert.equal((await response.arrayBuffer()).byteLength, 0);
  const proxyHeaders = Object.fromEntries([...response.headers].filter(([name]) => /^x-(accel|media)/.test(name)));
  assert.deepEqual(
    { ...proxyHeaders, 'x-media-offload-token': '' },
    {
      'x-accel-redirect': '@media_offload',
      'x-media-offload-host': new URL(store.url).host,
      'x-media-offload-target': '/object?X-Amz-Signature=secret',
      'x-media-offload-range': 'bytes=995-999',
      'x-media-offload-owner': OWNER_ID,
      'x-media-offload-token': '',
      'x-media-offload-cache-control': 'private, no-cache',
      'x-media-offload-content-disposition': proxyHeaders['x-media-offload-content-disposition'],
    },
  );
  assert.equal(byGateway.length, 0);
});

test('the proxy headers of a client have no effect behind a proxy', async () => {
  const { byGateway, byNginx } = watchStore();
  for (const word of ['full', 'failed', 'nothing']) {
    const response = await ask(proxy.url, {
      ...PROXIED,
      'x-media-offload': word,
      'x-media-offload-secret': 'wrong',
    });
    assert.equal(response.status, 200, word);
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), CONTENT);
  }
  assert.deepEqual([byGateway.length, byNginx.length], [0, 3]);
  for (const path of ['/@media_offload', '/media_offload', '/%40media_offload'])
    assert.equal((await fetch(proxy.url + path)).status, 404, path);
});

test('an nginx with another secret passes the gateway’s bytes on', async () => {
  const { byGateway, byNginx } = watchStore();
  await using other = await startMediaProxy({
    ...{ dir: join(dir, 'other'), gateway: gateway.base, store: nginxStore.url },
    secret: SECRET.toUpperCase(),
  });
  const response = await ask(other.url);
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), CONTENT);
  assert.deepEqual([byGateway.length, byNginx.length], [1, 0]);
});

test('without MEDIA_OFFLOAD, or behind fewer proxies than TRUSTED_PROXIES, the gateway sends the bytes', async () => {
  assert.deepEqual(Buffer.from(await (await ask(plain.base, PROXIED, undefined, plain)).arrayBuffer()), CONTENT);
  await using two = await startTestGateway(fakeServices(store), { ...OFFLOAD, TRUSTED_PROXIES: '2' });
  assert.deepEqual(Buffer.from(await (await ask(two.base, PROXIED, undefined, two)).arrayBuffer()), CONTENT);
  const through = await ask(two.base, { ...PROXIED, 'x-forwarded-for': '192.0.2.1, 192.0.2.2' }, undefined, two);
  assert.equal(through.headers.get('x-accel-redirect'), '@media_offload');
});

test('the gateway requests a one-minute address only for the proxy', async () => {
  const requested: (number | undefined)[] = [];
  const { getMedia } = gateway.behind.submissions!;
  gateway.behind.submissions!.getMedia = async (wanted, call) => {
    requested.push(wanted.urlSeconds);
    return await getMedia!(wanted, call);
  };
  await (await ask(proxy.url)).arrayBuffer();
  await (await ask(gateway.base)).arrayBuffer();
  Object.assign(gateway.behind.submissions!, { getMedia });
  assert.deepEqual(requested, [60, undefined]);
});

test('an unauthorised client gets the error of the gateway, and the store gets no request', async () => {
  const { byGateway, byNginx } = watchStore();
  const BAD: [status: number, headers: Record<string, string>][] = [
    [401, { authorization: '' }],
    [401, { authorization: `Bearer ${mintToken('api')}` }],
    [403, { authorization: `Bearer ${gateway.tokenWith(['projects:read'])}` }],
  ];
  for (const [status, headers] of BAD) {
    const response = await ask(proxy.url, headers);
    assert.equal(response.status, status);
    assert.deepEqual(Object.keys((await response.json()) as object), ['error']);
    assert.ok([...response.headers.keys()].every(name => !/^x-(accel|media)/.test(name)));
  }
  assert.deepEqual([byGateway.length, byNginx.length], [0, 0]);
});

test('erased media are not sent: the error comes from the gateway', async () => {
  const { getMedia } = gateway.behind.submissions!;
  // The object disappears after the gateway has answered nginx and before nginx requests the object.
  answer((_request, response) => {
    gateway.behind.submissions!.getMedia = async () => {
      throw new DomainError('not_found', 'There is no such submission in this project.');
    };
    response.writeHead(404, { 'content-type': 'application/xml' }).end('<Error>NoSuchKey</Error>');
  });
  for (const headers of [{}, { range: 'bytes=3-' }] as Record<string, string>[]) {
    const response = await ask(proxy.url, headers);
    assert.equal(response.status, 404);
    assert.deepEqual(await response.json(), { error: 'There is no such submission in this project.' });
    assert.equal(response.headers.get('error-code'), 'not_found');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    for (const name of ['etag', 'content-disposition', 'accept-ranges', 'content-range'])
      assert.equal(response.headers.get(name), null, name);
    Object.assign(gateway.behind.submissions!, { getMedia });
  }
  answer(serveContent);
});

test('the gateway reads a store that nginx cannot reach', async () => {
  await using alone = await startMediaProxy({
    ...{ dir: join(dir, 'alone'), gateway: gateway.base, store: 'http://127.0.0.1:9', secret: SECRET },
  });
  const parts: [headers: Record<string, string>, bytes: Buffer][] = [
    [{}, CONTENT],
    [{ range: 'bytes=7-' }, CONTENT.subarray(7)],
  ];
  for (const [headers, bytes] of parts) {
    const response = await ask(alone.url, headers);
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes);
    const own = await ask(plain.base, headers, undefined, plain);
    assert.deepEqual(comparable(response.headers), comparable(own.headers));
  }
  await until('nginx to have written its lines', async () => (await readFile(alone.accessLog, 'utf8')).includes('502'));
});

test('a store that breaks off in the middle breaks the connection', async () => {
  answer((_request, response) => {
    response.writeHead(200, { 'content-length': 1_000 }).write(CONTENT.subarray(0, 100), () => response.destroy());
  });
  const response = await ask(proxy.url);
  assert.equal(response.status, 200);
  await assert.rejects(response.arrayBuffer());
  answer(serveContent);
});

const LARGE = 256 * 1024 * 1024;
const CHUNK = Buffer.alloc(256 * 1024, 'x');

test('a slow reader slows the store down: the waiting bytes have a limit', async () => {
  let sent = 0;
  answer(async (_request, response) => {
    response.writeHead(200, { 'content-length': LARGE });
    for (; sent < LARGE && !response.destroyed; sent += CHUNK.length)
      if (!response.write(CHUNK)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  });
  const asking: ClientRequest = request(`${proxy.url}${SUBMISSION_PATH}/video`, { headers: gateway.bearer });
  asking.end();
  const [incoming] = (await once(asking, 'response')) as [IncomingMessage];
  incoming.pause();
  let before = -1;
  await until(
    'the store to wait',
    async () => {
      const waits = sent === before && sent > 0;
      before = sent;
      return waits;
    },
    { everyMs: 300 },
  );
  assert.ok(sent < LARGE / 4, `${sent} bytes were read for a reader that reads nothing`);
  asking.destroy();
  answer(serveContent);
});

test('videos that nginx sends have the same limits; beyond them the gateway answers 429', async () => {
  await using one = await startTestGateway(fakeServices(store), {
    ...OFFLOAD,
    // The gateway's limit of videos does not count the videos that nginx sends.
    ...{ MEDIA_AT_ONCE: '1' },
  });
  const limits = { all: 3, perOwner: 2, perToken: 1 };
  await using few = await startMediaProxy({
    ...{ dir: join(dir, 'few'), gateway: one.base, store: store.url, secret: SECRET, limits },
  });
  answer((_request, response) => response.writeHead(200, { 'content-length': 1_000 }).write('x'));
  await videoBounds({ gateway: one, base: few.url });
  answer(serveContent);
});

test('the log of nginx has no addresses, and the same request ids as the log of the gateway', async () => {
  const token = mintToken('prj');
  const response = await fetch(`${proxy.url}/project/${token}/submissions/${SUBMISSION_ID}/video`);
  await response.arrayBuffer();
  const id = response.headers.get('request-id')!;
  const log = await until('the line', async () => {
    const text = await readFile(proxy.accessLog, 'utf8');
    return text.includes(id) && text;
  });
  for (const secret of [token, SECRET, 'X-Amz', 'Bearer']) assert.ok(!log.includes(secret), secret);
  const line = JSON.parse(log.split('\n').find(each => each.includes(id))!);
  assert.deepEqual([line.status, line.upstreamStatus], [200, '200 : 200']);
});
