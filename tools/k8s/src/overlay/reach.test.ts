import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podOf } from '../manifests.ts';
import { deployment, policy } from './example-objects.ts';
import { type Destination, isInBlock, mayReach } from './reach.ts';

const from = { labels: { 'app.kubernetes.io/name': 'media' }, namespace: 'clips' };
const may = (egress: object[], to: Destination, port = 443) =>
  mayReach(from, to, port, [policy('to', 'media', egress)]);
const inBlock = { to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }], ports: [{ port: 443 }] };
const inNamespace = {
  to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'stores' } }, podSelector: {} }],
  ports: [{ port: 9000, endPort: 9010 }],
};

test('an address must be in a block, and at an allowed port', () => {
  assert.ok(may([inBlock], { ip: '10.2.0.1' }));
  assert.ok(!may([inBlock], { ip: '10.1.0.1' }));
  assert.ok(!may([inBlock], { ip: '192.168.0.1' }));
  assert.ok(!may([inBlock], { ip: '10.2.0.1' }, 80));
  assert.ok(!may([], { ip: '10.2.0.1' }));
});

test('a name may be at any allowed address, but at no pod of the product', () => {
  assert.ok(may([inBlock], { host: 's3.corp.internal' }));
  assert.ok(!may([{ to: [{ podSelector: {} }], ports: [{ port: 443 }] }], { host: 's3.corp.internal' }));
});

test('a Service must be in an allowed namespace, and its pods must match', () => {
  assert.ok(may([inNamespace], { namespace: 'stores' }, 9005));
  assert.ok(!may([inNamespace], { namespace: 'store' }, 9005));
  assert.ok(!may([inNamespace], { namespace: 'stores' }, 9011));
  const pod = podOf(deployment('objects', { ports: [{ name: 's3', containerPort: 9000 }] }))!;
  const toObjects = (name: string) => ({
    to: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': name } } }],
    ports: [{ port: 's3' }],
  });
  assert.ok(may([toObjects('objects')], { pod, namespace: 'clips' }, 9000));
  assert.ok(!may([toObjects('object')], { pod, namespace: 'clips' }, 9000));
  assert.ok(!may([toObjects('objects')], { pod, namespace: 'clips' }, 9001));
});

test('without a policy for egress, everything is allowed', () => {
  assert.ok(mayReach(from, { ip: '8.8.8.8' }, 443, [policy('to', 'gateway', [])]));
});

test('compares addresses of the same version', () => {
  assert.ok(isInBlock({ cidr: 'fd00::/8' }, 'fd00::7'));
  assert.ok(!isInBlock({ cidr: '::/0' }, '10.0.0.1'));
  assert.ok(!isInBlock({ cidr: 'somewhere' }, '10.0.0.1'));
});
