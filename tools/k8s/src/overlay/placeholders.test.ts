import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deployment, faultsIn, object, policy, settings } from './example-objects.ts';
import { placeholderFindings } from './placeholders.ts';

const faults = (...all: Parameters<typeof placeholderFindings>[0]) => faultsIn(placeholderFindings(all));

test('finds hosts of the domains for examples, and no others', () => {
  assert.deepEqual(faults(settings({ S3_ENDPOINT: 'https://s3.example.com', KAFKA_BROKERS: 'a.corp.internal:9092' })), [
    'ConfigMap settings: S3_ENDPOINT=https://s3.example.com is a placeholder: set your own address.',
  ]);
  assert.deepEqual(faults(settings({ ONE: 'https://my-example.com', TWO: 'https://example.com.au' })), []);
  assert.match(
    faults(object('HTTPRoute', 'edge', { spec: { hostnames: ['clips.example.org'] } }))[0]!,
    /clips\.example\.org/,
  );
  const ingress = object('Ingress', 'edge', { spec: { rules: [{ host: 'clips.example.net' }] } });
  assert.match(faults(ingress)[0]!, /Ingress edge: clips\.example\.net/);
});

test('finds the Prometheus of the example', () => {
  const scaled = (serverAddress: string) =>
    faults(
      object('ScaledObject', 'gateway', { spec: { triggers: [{ type: 'prometheus', metadata: { serverAddress } }] } }),
    );
  assert.deepEqual(scaled('http://prometheus.example.com:9090'), [
    'ScaledObject gateway: serverAddress=http://prometheus.example.com:9090 is a placeholder: set your own address.',
  ]);
  assert.deepEqual(scaled('http://prometheus.monitoring.svc:9090'), []);
});

test('finds the registry and the digests of the examples', () => {
  const image = (name: string, digit: string) => deployment('media', { image: `${name}@sha256:${digit.repeat(64)}` });
  assert.match(faults(image('registry.example.com/clips', '0'))[0]!, /registry\.example\.com\/clips is a placeholder/);
  assert.match(faults(image('registry.corp.internal/clips', '1'))[0]!, /The digest of the image registry\.corp/);
  assert.match(faults(deployment('media', { image: 'clips@sha256:0123' }))[0]!, /has no digest of 64/);
  assert.deepEqual(faults(deployment('media', { image: `clips@sha256:${'01'.repeat(32)}` })), []);
});

test('finds the networks for examples', () => {
  const to = (cidr: string) => policy('to-mongo', 'media', [{ to: [{ ipBlock: { cidr } }] }]);
  assert.deepEqual(faults(to('192.0.2.64/27')), [
    'networks.mongo: 192.0.2.64/27 is a placeholder: set the network of your mongo.',
  ]);
  const cilium = object('CiliumNetworkPolicy', 'to-mongo-by-name', {
    spec: { egress: [{ toFQDNs: ['*.YOURS.net'] }] },
  });
  assert.match(faults(cilium)[0]!, /CiliumNetworkPolicy to-mongo-by-name still has the placeholder YOURS/);
  assert.deepEqual(faults(to('192.0.3.0/24'), to('0.0.0.0/0')), []);
});

test('finds the account in the examples of roles', () => {
  const of = (account: string) => {
    const role = `arn:aws:iam::${account}:role/media`;
    const metadata = { name: 'media', annotations: { 'eks.amazonaws.com/role-arn': role } };
    return faults({ ...object('ServiceAccount', 'media'), metadata });
  };
  assert.match(of('111122223333')[0]!, /^ServiceAccount media: arn:.* is a placeholder: set the role of your account/);
  assert.deepEqual(of('210987654321'), []);
});

test('finds the values of secret.example.env, and shows none', () => {
  const of = (stringData: Record<string, string>) => faults(object('Secret', 'ours', { stringData }));
  assert.deepEqual(of({ SECRETS_KEY: 'k1:', MONGO_URL: 'mongodb://user:password@host:27017' }), [
    'Secret ours: SECRETS_KEY has a value of secret.example.env: set your own.',
    'Secret ours: MONGO_URL has a value of secret.example.env: set your own.',
  ]);
  assert.deepEqual(
    of({ SECRETS_KEY: 'k1:AAAA', MONGO_URL: 'mongodb://projects:0f3c@m-1:27017', SPEECH_API_KEY: '' }),
    [],
  );
});
