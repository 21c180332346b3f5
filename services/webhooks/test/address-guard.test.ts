import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSender, type Sender } from '../src/adapters/http-sender.ts';
import { startDnsServer } from './dns-server.ts';
import { type Receiver, startReceiver } from './receiver.ts';

let listener: Receiver;
let dns: Awaited<ReturnType<typeof startDnsServer>>;
let sender: Sender;

// Public by its number, but nothing announces it: a dial goes nowhere.
const NOWHERE = '11.0.0.1';
const NAMES: Record<string, (count: number) => string[]> = {
  'loopback.example': () => ['127.0.0.1'],
  'private.example': () => ['10.0.0.1'],
  'metadata.example': () => ['169.254.169.254'],
  'unspecified.example': () => ['0.0.0.0'],
  'both.example': () => [NOWHERE, '127.0.0.1'],
  'both-turned.example': () => ['127.0.0.1', NOWHERE],
  'rebind.example': count => [count === 1 ? NOWHERE : '127.0.0.1'],
};

before(async () => {
  // Every interface, both families: a dial to any spelling of this machine would arrive.
  listener = await startReceiver('::');
  dns = await startDnsServer((name, count) => NAMES[name]?.(count) ?? []);
  sender = strictSender();
});
after(() => Promise.all([listener.close(), dns.close(), sender.close()]));

const strictSender = () =>
  createSender({ allowHttp: true, allowPrivate: false, timeoutMs: 400, answerBytes: 1024, dnsServers: [dns.address] });
const post = (url: string) => sender.send({ url, headers: {}, body: Buffer.from('{}') }, new AbortController().signal);

// The scheme, the port and the path are put around each.
const HOSTS = [
  // loopback, as IPv4 is written
  ...[
    '127.0.0.1',
    '127.0.0.2',
    '127.255.255.254',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0x7F.0.0.1',
  ],
  ...['017700000001', '0177.0.0.1', '0177.1', '127.0.0.0x1', '00000177.0.0.1', '127.0.0.1.', '%31%32%37.0.0.1'],
  ...['１２７.０.０.１', '127。0。0。1', '①②⑦.0.0.1'],
  // unspecified, broadcast, multicast
  ...['0.0.0.0', '0', '0x0', '0.1.2.3', '255.255.255.255', '224.0.0.1', '239.1.2.3', '240.0.0.1'],
  // private, shared, link-local, metadata
  ...['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.254', '192.168.0.1', '3232235521', '100.64.0.1'],
  ...['100.100.100.200', '169.254.169.254', '0xa9fea9fe', '2852039166', '169.254.170.2', '192.0.0.192', '198.18.0.1'],
  // IPv6 and what it carries
  ...[
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[::ffff:0:127.0.0.1]',
  ],
  ...[
    '[::ffff:169.254.169.254]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
  ],
  ...['[fe80::1]', '[fec0::1]', '[fc00::1]', '[fd00:ec2::254]', '[ff02::1]', '[2001:db8::1]', '[::ffff:10.0.0.1]'],
  // names
  ...Object.keys(NAMES).filter(name => name !== 'rebind.example'),
];

test('no hostile address is ever connected to', async () => {
  const urls = [
    ...HOSTS.map(host => `http://${host}:${listener.port}/`),
    ...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost'].map(host => `http://${host}:${listener.port}/`),
    `http://user:secret@127.0.0.1:${listener.port}/`,
    `http://example.com@127.0.0.1:${listener.port}/`,
    `http://127.0.0.1:${listener.port}@example.com/`,
    `http:\\\\127.0.0.1:${listener.port}\\`,
    `http:127.0.0.1:${listener.port}`,
    `gopher://127.0.0.1:${listener.port}/`,
    `unix:///var/run/docker.sock`,
  ];
  assert.ok(urls.length >= 60, `${urls.length} addresses`);
  for (const url of urls) {
    const sent = await post(url);
    assert.ok('reason' in sent, url);
    assert.match(sent.reason, /not a public one|not resolve|not https|user name|not a URL|name server/, url);
  }
  assert.equal(listener.connections(), 0);
});

test('a name that is public first and loopback second gets no connection', async () => {
  const first = await post(`http://rebind.example:${listener.port}/`);
  assert.ok('reason' in first);
  const second = await post(`http://rebind.example:${listener.port}/`);
  assert.ok('reason' in second && /not a public one/.test(second.reason));
  assert.equal(dns.asked('rebind.example'), 2, 'one look-up for each dial: what was checked is what is dialled');
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
    await Promise.all([open.close(), outer.close()]);
  }
});

test('the listener would have been reached: with private targets allowed the same address answers', async () => {
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
