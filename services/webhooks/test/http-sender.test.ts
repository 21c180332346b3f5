import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { type Receiver, startReceiver } from '@recording-request/testing/webhook-receiver';
import { createSender, type Sender } from '../src/adapters/http-sender.ts';

// Of those tests that wait for it; the others must not meet it.
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
const postInHaste = () => post(receiver.url, undefined, hasty);

test('the body goes out byte for byte with its headers', async () => {
  assert.deepEqual(await post(`${receiver.url}?key=1`), { status: 204 });
  const [request] = receiver.received;
  assert.equal(request!.path, '/hook?key=1');
  assert.equal(request!.body.toString(), '{"ä": 1}');
  assert.equal(request!.headers['x-a'], 'b');
});

test('the one time limit covers an answer without headers, and a body that does not end', async () => {
  for (const respond of [
    () => {},
    (_: unknown, response: { writeHead(s: number): { write(t: string): void } }) => response.writeHead(200).write('a'),
  ]) {
    receiver.respond = respond as Receiver['respond'];
    const startedAt = performance.now();
    const sent = await postInHaste();
    assert.ok('reason' in sent && /within 1.5 s/.test(sent.reason));
    assert.ok(performance.now() - startedAt < LONG_MS);
  }
});

test('a body that trickles forever is cut by the limit, not by a pause between its bytes', async () => {
  receiver.respond = (_, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(drip));
  };
  const sent = await postInHaste();
  assert.ok('reason' in sent);
});

test('no more of an endless answer is read than its limit, and it counts', async () => {
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
  // What the socket's buffers on both sides take is written; the rest never is.
  assert.ok(written < 16 * 1024 * 1024, `${written} bytes`);
});

test('Retry-After is handed on; the body of a failure is not waited for', async () => {
  receiver.respond = (_, response) => void response.writeHead(503, { 'retry-after': '7' }).write('wait');
  assert.deepEqual(await post(), { status: 503, retryAfter: '7' });
});

test('a broken answer, a closed connection and a refused one are failures with short words of ours', async () => {
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

test('a stop breaks an attempt off, without calling it the endpoint’s failure', async () => {
  receiver.respond = () => {};
  const stopping = new AbortController();
  const sending = post(receiver.url, stopping.signal);
  await receiver.waitFor(1);
  stopping.abort(new Error('the service stops'));
  await assert.rejects(sending, /the service stops/);
});
