import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsIn, policy } from './example-objects.ts';
import { policyFindings } from './policies.ts';

const findings = (to: object, port: unknown) =>
  faultsIn(policyFindings([policy('to-kafka', 'media', [{ to: [to], ports: [{ port }] }])]));

test('finds ports and networks that the API server refuses', () => {
  assert.deepEqual(findings({ ipBlock: { cidr: '10.30.0.0/24', except: ['10.30.0.7/32'] } }, 9093), []);
  assert.deepEqual(findings({ podSelector: {} }, 'http'), []);
  assert.deepEqual(findings({ ipBlock: { cidr: '2001:db8::/32' } }, '9093'), [
    'NetworkPolicy to-kafka: the port "9093" is a text: write 9093 without quotes.',
  ]);
  for (const cidr of ['10.30.0.0', '10.30.0.0/33', '10.30.0/24', '10.30.0.0/a'])
    assert.match(findings({ ipBlock: { cidr } }, 9093).join(), /is no network: write it with its length/);
});
