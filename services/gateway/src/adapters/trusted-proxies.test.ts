import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callerAddress, cameThroughProxies, parseTrustedProxies, proxyFault } from './trusted-proxies.ts';

const PROXY = '10.0.7.9';
const CLIENT = '203.0.113.9';
const FORGED = '192.0.2.66';
const behind = (text: string) => parseTrustedProxies(text)!;

for (const [text, peer, forwardedFor, address] of [
  ['0', CLIENT, FORGED, CLIENT],
  ['1', PROXY, `${FORGED}, ${CLIENT}`, CLIENT],
  ['2', PROXY, `${FORGED}, ${CLIENT}, 10.0.8.1`, CLIENT],
  // With fewer entries than proxies, the caller is the outermost known address.
  ['2', PROXY, CLIENT, CLIENT],
  ['1', CLIENT, undefined, CLIENT],
  ['10.0.7.0/24', PROXY, `${FORGED}, ${CLIENT}`, CLIENT],
  ['10.0.7.0/24', `::ffff:${PROXY}`, `${FORGED}, ${CLIENT}`, CLIENT],
  ['10.0.7.0/24,10.0.8.1', PROXY, `${FORGED}, ${CLIENT}, 10.0.8.1`, CLIENT],
  ['fd00::/8', 'fd00::7', `${FORGED}, 2001:db8::1`, '2001:db8::1'],
  // The peer is not one of the proxies, so its header does not count.
  ['10.0.7.0/24', '10.0.9.1', FORGED, '10.0.9.1'],
  ['10.0.7.0/24', '', FORGED, ''],
  // Every entry is a proxy, so a proxy itself sent the request.
  ['10.0.7.0/24', PROXY, '10.0.7.8', '10.0.7.8'],
] as const)
  test(`with TRUSTED_PROXIES=${text}, the caller of ${peer} with ${forwardedFor} is ${address}`, () => {
    assert.equal(callerAddress(behind(text), peer, forwardedFor), address);
  });

for (const [text, peer, forwardedFor, came] of [
  ['0', PROXY, CLIENT, false],
  ['1', PROXY, CLIENT, true],
  ['2', PROXY, CLIENT, false],
  ['1', PROXY, ' , ', false],
  ['10.0.7.0/24', PROXY, CLIENT, true],
  ['10.0.7.0/24', '10.0.9.1', `${CLIENT}, ${PROXY}`, false],
] as const)
  test(`with TRUSTED_PROXIES=${text}, a request of ${peer} with ${forwardedFor} came ${came ? '' : 'not '}through the proxies`, () => {
    assert.equal(cameThroughProxies(behind(text), peer, forwardedFor), came);
  });

test('finds a number of proxies that is too high, and a proxy that is not counted', () => {
  const named = (text: string, peer: string, forwardedFor?: string) =>
    proxyFault(behind(text), peer, forwardedFor)?.name;
  assert.deepEqual(
    [
      named('2', PROXY, CLIENT),
      named('1', PROXY),
      named('1', PROXY, CLIENT),
      named('1', PROXY, `${FORGED}, ${CLIENT}`),
    ],
    ['bypassed', 'bypassed', undefined, undefined],
  );
  for (const peer of [PROXY, `::ffff:${PROXY}`, 'fd00::7', '127.0.0.1'])
    assert.equal(named('0', peer, CLIENT), 'unknown', peer);
  assert.deepEqual([named('0', CLIENT, FORGED), named('0', PROXY)], [undefined, undefined]);
  assert.deepEqual(
    [named('10.0.7.0/24', '10.0.9.1', CLIENT), named('10.0.7.0/24', PROXY, CLIENT)],
    ['unknown', undefined],
  );
});
