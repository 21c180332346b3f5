// A public address that is not routed: a connection gets no answer.
const NOWHERE = '11.0.0.1';

/** The answers of the tests' name server; `count` is the number of queries for the name. */
export const HOSTILE_NAMES: Record<string, (count: number) => string[]> = {
  'loopback.example': () => ['127.0.0.1'],
  'loopback-six.example': () => ['::1'],
  'mapped.example': () => ['::ffff:127.0.0.1'],
  'translated.example': () => ['64:ff9b::7f00:1'],
  'private.example': () => ['10.0.0.1'],
  'unique-local.example': () => ['fd00:ec2::254'],
  'metadata.example': () => ['169.254.169.254'],
  'unspecified.example': () => ['0.0.0.0'],
  'both.example': () => [NOWHERE, '127.0.0.1'],
  'both-turned.example': () => ['127.0.0.1', NOWHERE],
  'both-families.example': () => [NOWHERE, '::1'],
  'rebind.example': count => [count === 1 ? NOWHERE : '127.0.0.1'],
};

/** Hosts that lead to internal networks or nowhere. `hostileAddresses` adds scheme, port and path to them. */
const HOSTS: Record<string, string[]> = {
  'loopback, as IPv4 is written': [
    ...['127.0.0.1', '127.0.0.2', '127.255.255.254', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.1'],
    ...['0x7F.0.0.1', '017700000001', '0177.0.0.1', '0177.1', '127.0.0.0x1', '00000177.0.0.1', '0x7f.0x0.0x0.0x1'],
    ...['127.0.0.1.', '127.1.', '2130706433.', '0x7f000001.', '%31%32%37.0.0.1', '127%2e0%2e0%2e1'],
  ],
  'loopback, in other scripts': [
    ...['１２７.０.０.１', '127。0。0。1', '127．0．0．1', '127｡0｡0｡1', '①②⑦.0.0.1', '𝟭𝟮𝟳.𝟬.𝟬.𝟭'],
  ],
  'unspecified, broadcast, multicast, reserved': [
    ...['0.0.0.0', '0', '0x0', '00', '0.', '0.1.2.3', '255.255.255.255', '4294967295', '224.0.0.1', '239.1.2.3'],
    ...['240.0.0.1', '192.0.2.1', '198.51.100.1', '203.0.113.1', '192.88.99.1'],
  ],
  'private, shared, link-local, metadata': [
    ...['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.254', '192.168.0.1', '3232235521', '0300.0250.0.1'],
    ...['100.64.0.1', '100.100.100.200', '169.254.169.254', '169.254.169.254.', '0xa9fea9fe', '2852039166'],
    ...['0251.0376.0251.0376', '169.254.170.2', '192.0.0.192', '198.18.0.1'],
  ],
  'other IPv6': [
    ...['[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::]', '[fe80::1]', '[fec0::1]', '[fc00::1]', '[fd00:ec2::254]'],
    ...['[ff02::1]', '[2001:db8::1]', '[100::1]', '[3fff::1]', '[5f00::1]'],
  ],
  'IPv6 that carries IPv4: mapped, compatible, translated, 6to4, Teredo, ISATAP': [
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:127.0.0.1]', '[::ffff:169.254.169.254]', '[::ffff:10.0.0.1]'],
    ...['[::127.0.0.1]', '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::7f00:1]'],
    ...['[2002:7f00:1::]', '[2002:a00:1::]', '[2002:a9fe:a9fe::]', '[2001:0:7f00:1::]'],
    ...['[2001:0:4136:e378:8000:63bf:80ff:fffe]', '[2606:4700::5efe:7f00:1]'],
  ],
  names: [
    ...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'loopback.example.', 'LOOPBACK.example'],
    ...Object.keys(HOSTILE_NAMES).filter(name => name !== 'rebind.example'),
  ],
};

/** The number of addresses. `docs/security.md` and the README state it: change all three together. */
export const HOSTILE_COUNT = 121;

/** Returns every hostile address with `port`. A listener at that port must never get a connection. */
export function hostileAddresses(port: number): string[] {
  return [
    ...Object.values(HOSTS)
      .flat()
      .map(host => `http://${host}:${port}/`),
    `http://user:secret@127.0.0.1:${port}/`,
    `http://example.com@127.0.0.1:${port}/`,
    `http://127.0.0.1:${port}@example.com/`,
    `http:\\\\127.0.0.1:${port}\\`,
    `http:127.0.0.1:${port}`,
    `http:///127.0.0.1:${port}/`,
    `ht\ntp://127.0.0.1:${port}/`,
    `http://[::1%25lo]:${port}/`,
    `http://127.0.0.1:${port}#@example.com/`,
    `http://127.0.0.1:${port}?@example.com/`,
    `gopher://127.0.0.1:${port}/`,
    `ftp://127.0.0.1:${port}/`,
    `file:///etc/passwd`,
    `unix:///var/run/docker.sock`,
    `data:text/plain,x`,
    `//127.0.0.1:${port}/`,
  ];
}

/** The reasons that the ledger shows for refused addresses. */
export const REFUSAL = /not a public one|not resolve|not https|user name|not a URL|name server/;
