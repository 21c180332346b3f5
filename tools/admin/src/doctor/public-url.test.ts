import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proxyLine } from './public-url.ts';

const FORGED = '192.0.2.77';
const CLIENT = '203.0.113.5';
const PROXY = '10.0.0.9';

test('compares the address that the gateway found with the entries of the proxies', () => {
  const cases: [address: string, forwardedFor: string[], setting: string, state: string, words: RegExp][] = [
    [CLIENT, [FORGED, CLIENT], '1', 'ok', /knows the address/],
    [CLIENT, [FORGED, CLIENT, PROXY], '2', 'ok', /knows the address/],
    [CLIENT, [CLIENT], '1', 'ok', /knows the address/],
    [FORGED, [FORGED, CLIENT], '2', 'wrong', /lower TRUSTED_PROXIES/],
    [FORGED, [FORGED, CLIENT], '10.0.0.0/8', 'wrong', /take addresses out of TRUSTED_PROXIES/],
    [PROXY, [FORGED, CLIENT, PROXY], '1', 'wrong', /set TRUSTED_PROXIES to 2/],
    [PROXY, [FORGED, CLIENT], '', 'wrong', /set TRUSTED_PROXIES to 1/],
    [
      PROXY,
      [CLIENT, PROXY],
      '10.1.0.0/16',
      'wrong',
      /add the proxies to TRUSTED_PROXIES \(10\.0\.0\.9, and the last one\)/,
    ],
    [CLIENT, [FORGED], '0', 'ok', /no proxy is in front/],
    [CLIENT, [], '1', 'wrong', /no proxy sets X-Forwarded-For/],
  ];
  for (const [address, forwardedFor, setting, state, words] of cases) {
    const [found, text] = proxyLine({ address, forwardedFor }, setting);
    assert.equal(found, state, `${forwardedFor} with ${setting}`);
    assert.match(text, words);
  }
});
