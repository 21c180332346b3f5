import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callerNetwork } from './caller-network.ts';

test('IPv4 callers are distinguished by their address, in any notation', () => {
  assert.equal(callerNetwork('203.0.113.7'), '203.0.113.7');
  assert.equal(callerNetwork('::ffff:203.0.113.7'), '203.0.113.7');
  assert.equal(callerNetwork('::FFFF:203.0.113.7'), '203.0.113.7');
});

test('IPv6 callers with the same first 64 bits count as one', () => {
  const same = [
    '2001:db8:0:12::1',
    '2001:db8:0:12:ffff:ffff:ffff:ffff',
    '2001:0DB8:0000:0012::',
    '2001:db8::12:0:0:0:9',
  ];
  for (const address of same) assert.equal(callerNetwork(address), '2001:db8:0:12::/64', address);
  assert.equal(callerNetwork('2001:db8:0:13::1'), '2001:db8:0:13::/64');
  assert.equal(callerNetwork('2001:db8::1'), '2001:db8:0:0::/64');
  assert.equal(callerNetwork('::1'), '0:0:0:0::/64');
  assert.equal(callerNetwork('fe80::1%eth0'), 'fe80:0:0:0::/64');
  assert.equal(callerNetwork('64:ff9b::192.0.2.33'), '64:ff9b:0:0::/64');
});
