import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Receiver, startReceiver } from '@recording-request/harness/webhook-receiver';
import { createSender, type Sender } from '../src/adapters/http-sender.ts';
import { startDnsServer } from './dns-server.ts';
import { HOSTILE_COUNT, HOSTILE_NAMES, hostileAddresses, REFUSAL } from './hostile-addresses.ts';

let listener: Receiver;
let dns: Awaited<ReturnType<typeof startDnsServer>>;
let sender: Sender;

before(async () => {
  // Listens on every interface, over IPv4 and IPv6, so that a connection to any address of this machine would arrive.
  listener = await startReceiver({ host: '::' });
  dns = await startDnsServer((name, count) => HOSTILE_NAMES[name]?.(count) ?? []);
  sender = strictSender();
});
after(() => Promise.all([listener[Symbol.asyncDispose](), dns.close(), sender.close()]));

const strictSender = (timeoutMs = 20_000) =>
  createSender({ allowHttp: true, allowPrivate: false, timeoutMs, answerBytes: 1024, dnsServers: [dns.address] });
const post = (url: string) => sender.send({ url, headers: {}, body: Buffer.from('{}') }, new AbortController().signal);

test('no hostile address gets a connection', async () => {
  const urls = hostileAddresses(listener.port);
  assert.equal(urls.length, HOSTILE_COUNT, 'the documents quote this number');
  for (const url of urls) {
    const sent = await post(url);
    assert.ok('reason' in sent, url);
    assert.match(sent.reason, REFUSAL, url);
  }
  assert.equal(listener.connections(), 0);
});

test('a name that resolves to a public and then a loopback address gets no connection', async () => {
  const url = `http://rebind.example:${listener.port}/`;
  // The client connects to the first address, and nothing answers there.
  const brief = strictSender(400);
  const first = await brief.send({ url, headers: {}, body: Buffer.from('{}') }, new AbortController().signal);
  await brief.close();
  assert.ok('reason' in first);
  const second = await post(url);
  assert.ok('reason' in second && /not a public one/.test(second.reason));
  assert.equal(dns.requested('rebind.example'), 2, 'one lookup per dial: the checked address is the dialled one');
  assert.equal(listener.connections(), 0);
});

test('a redirect inward is not followed', async () => {
  const open = createSender({
    allowHttp: true,
    allowPrivate: true,
    timeoutMs: 5_000,
    answerBytes: 1024,
    dnsServers: undefined,
  });
  const outer = await startReceiver();
  try {
    for (const status of [301, 302, 303, 307, 308]) {
      outer.respond = (_, response) =>
        response.writeHead(status, { location: `http://127.0.0.1:${listener.port}/` }).end();
      const sent = await open.send(
        { url: outer.url, headers: {}, body: Buffer.from('{}') },
        AbortSignal.timeout(5_000),
      );
      assert.equal(sent.status, status);
    }
    assert.equal(listener.connections(), 0);
  } finally {
    await Promise.all([open.close(), outer[Symbol.asyncDispose]()]);
  }
});

test('the listener is reachable: the same address answers when private targets are allowed', async () => {
  const open = createSender({
    allowHttp: true,
    allowPrivate: true,
    timeoutMs: 5_000,
    answerBytes: 1024,
    dnsServers: undefined,
  });
  const count = listener.connections();
  try {
    for (const host of ['127.0.0.1', '2130706433', 'localhost']) {
      const url = `http://${host}:${listener.port}/`;
      const sent = await open.send({ url, headers: {}, body: Buffer.from('{}') }, AbortSignal.timeout(5_000));
      assert.equal(sent.status, 204, host);
    }
    assert.ok(listener.connections() > count);
  } finally {
    await open.close();
  }
});
