import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Receiver, startReceiver } from '@recording-request/harness/webhook-receiver';
import { createSender, type Sender } from '../src/adapters/http-sender.ts';

// The time limit in tests that wait for it. Other tests must not reach their time limit.
const BRIEF_MS = 1_500;
const LONG_MS = 60_000;
let receiver: Receiver;
let sender: Sender;
let hasty: Sender;
before(async () => {
  receiver = await startReceiver();
  const options = { allowHttp: true, allowPrivate: true, answerBytes: 16_384, dnsServers: undefined };
  sender = createSender({ ...options, timeoutMs: LONG_MS });
  hasty = createSender({ ...options, timeoutMs: BRIEF_MS });
});
beforeEach(() => {
  receiver.received.length = 0;
});
after(() => Promise.all([receiver[Symbol.asyncDispose](), sender.close(), hasty.close()]));

const post = (url = receiver.url, signal = new AbortController().signal, by = sender) =>
  by.send({ url, headers: { 'content-type': 'application/json', 'x-a': 'b' }, body: Buffer.from('{"ä": 1}') }, signal);
const postWithShortTimeout = () => post(receiver.url, undefined, hasty);

test('the client sends the body byte for byte with its headers', async () => {
  assert.deepEqual(await post(`${receiver.url}?key=1`), { status: 204 });
  const [request] = receiver.received;
  assert.equal(request!.path, '/hook?key=1');
  assert.equal(request!.body.toString(), '{"ä": 1}');
  assert.equal(request!.headers['x-a'], 'b');
});

test('the time limit covers an answer without headers and a body that does not end', async () => {
  for (const respond of [
    () => {},
    (_: unknown, response: { writeHead(s: number): { write(t: string): void } }) => response.writeHead(200).write('a'),
  ]) {
    receiver.respond = respond as Receiver['respond'];
    const startedAt = performance.now();
    const sent = await postWithShortTimeout();
    assert.ok('reason' in sent && /within 1.5 s/.test(sent.reason));
    assert.ok(performance.now() - startedAt < LONG_MS);
  }
});

test('the time limit ends a body that trickles forever, even without a pause', async () => {
  receiver.respond = (_, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(drip));
  };
  const sent = await postWithShortTimeout();
  assert.ok('reason' in sent);
});

test('an endless answer is read up to its limit and counts as a success', async () => {
  let written = 0;
  receiver.respond = (_, response) => {
    response.writeHead(200);
    const chunk = Buffer.alloc(64 * 1024);
    const write = () => {
      while (response.write(chunk)) written += chunk.length;
      written += chunk.length;
      response.once('drain', write);
    };
    write();
  };
  assert.deepEqual(await post(), { status: 200 });
  // The client stops reading, so the server can write only what the socket buffers hold.
  assert.ok(written < 16 * 1024 * 1024, `${written} bytes`);
});

test('Retry-After is returned, and a failure does not wait for its body', async () => {
  receiver.respond = (_, response) => void response.writeHead(503, { 'retry-after': '7' }).write('wait');
  assert.deepEqual(await post(), { status: 503, retryAfter: '7' });
});

/** Starts an endpoint that answers each request with these texts, each in a separate write. */
async function rawEndpoint(...texts: string[]) {
  const server = createServer(socket => {
    socket.on('error', () => {}).setNoDelay();
    socket.once('data', async () => {
      for (const text of texts) {
        socket.write(text);
        await nextTurn();
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

test('unrequested informational responses are ignored; the answer after them counts', async () => {
  const done = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
  const on = 'HTTP/1.1 100 Continue\r\n\r\n';
  const [processing, hints] = [102, 103].map(status => `HTTP/1.1 ${status} Wait\r\nlink: </a>\r\n\r\n`);
  for (const [status, ...texts] of [
    [200, on, done],
    [200, on + done],
    [200, on, on, processing!, hints!, done],
    [500, on, 'HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n'],
    [302, on, 'HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n'],
  ] as const) {
    await using endpoint = await rawEndpoint(...texts);
    assert.deepEqual(await post(endpoint.url), { status }, texts.join());
  }
});

test('informational responses without an answer fail: a close after them, too many, another protocol', async () => {
  const on = 'HTTP/1.1 100 Continue\r\n\r\n';
  for (const [texts, reason] of [
    [[on.repeat(1_000)], 'no answer came after its first informational responses'],
    [['HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'], /closed before the answer/],
  ] as const) {
    await using endpoint = await rawEndpoint(...texts);
    const sent = await post(endpoint.url);
    assert.ok('reason' in sent);
    assert.match(sent.reason, new RegExp(reason));
  }
  await using silent = await rawEndpoint(on);
  assert.deepEqual(await post(silent.url, undefined, hasty), { status: 0, reason: 'no whole answer within 1.5 s' });
});

test('the next event reuses an open connection, and never a closed one', async () => {
  let socket: Socket | undefined;
  receiver.respond = (_, response, incoming) => {
    socket = incoming.socket;
    response.writeHead(204).end();
  };
  const before = receiver.connections();
  for (let events = 0; events < 3; events++) assert.equal((await post()).status, 204);
  assert.equal(receiver.connections() - before, 1);
  const closed = once(socket!, 'close');
  socket!.end();
  await closed;
  assert.equal((await post()).status, 204);
  assert.equal(receiver.connections() - before, 2);
});

test('a broken answer, a closed connection and a refused one fail with fixed phrases', async () => {
  const behaviours: Array<(socket: Socket) => void> = [
    socket => socket.end('SSH-2.0-secret words of the endpoint\r\n'),
    socket => socket.destroy(),
    socket => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc')),
    socket => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`),
  ];
  let behave = behaviours[0]!;
  const server = createServer(socket => behave(socket.on('error', () => {}).resume())).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    for (behave of behaviours) {
      const sent = await post(url);
      assert.ok('reason' in sent && sent.reason.length < 60 && !sent.reason.includes('secret'), JSON.stringify(sent));
    }
  } finally {
    await new Promise(resolve => server.close(resolve));
  }
  assert.deepEqual(await post(url), { status: 0, reason: 'the connection was refused' });
});

test('a stop aborts an attempt and does not count it as the endpoint’s failure', async () => {
  receiver.respond = () => {};
  const stopping = new AbortController();
  const sending = post(receiver.url, stopping.signal);
  await receiver.waitFor(1);
  stopping.abort(new Error('the service stops'));
  await assert.rejects(sending, /the service stops/);
});
