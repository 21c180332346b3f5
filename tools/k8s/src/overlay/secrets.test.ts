import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deployment, faultsIn, notesIn, object, secretKey } from './example-objects.ts';
import { secretFindings } from './secrets.ts';

const projects = deployment('projects', {
  env: [secretKey('MONGO_URL', 'ours'), secretKey('SECRETS_KEY', 'ours'), secretKey('OTEL_HEADERS', 'ours', true)],
});

test('names the key that a Secret in the overlay lacks', () => {
  const faults = faultsIn(secretFindings([projects, object('Secret', 'ours', { stringData: { MONGO_URL: 'x' } })]));
  assert.deepEqual(faults, ['Deployment projects: the Secret ours has no key SECRETS_KEY: add it.']);
});

test('knows the keys of an ExternalSecret that lists them', () => {
  const external = (fields: object) =>
    object('ExternalSecret', 'any', { spec: { target: { name: 'ours' }, ...fields } });
  const data = [{ secretKey: 'MONGO_URL' }];
  assert.match(faultsIn(secretFindings([projects, external({ data })]))[0]!, /no key SECRETS_KEY/);
  assert.deepEqual(secretFindings([projects, external({ data, dataFrom: [{}] })]), []);
});

test('names a Secret with almost the name of one in the overlay', () => {
  assert.match(
    faultsIn(secretFindings([projects, object('Secret', 'our', { stringData: {} })]))[0]!,
    /reads the Secret ours, .*a similar one is our/,
  );
});

test('an optional key that the settings need must exist', () => {
  const stringData = { MONGO_URL: 'x', SECRETS_KEY: 'x' };
  const all = [projects, object('Secret', 'ours', { stringData })];
  assert.deepEqual(secretFindings(all), []);
  assert.match(
    faultsIn(secretFindings(all, (by, key) => by === projects && key === 'OTEL_HEADERS'))[0]!,
    /no key OTEL_/,
  );
});

test('notes the Secrets to create, with the keys that must exist', () => {
  assert.deepEqual(notesIn(secretFindings([projects])), [
    'create ours (MONGO_URL, SECRETS_KEY) yourself, because no object here creates these Secrets.',
  ]);
});

test('knows the Secrets of KEDA, whose authorities may be optional', () => {
  const secretTargetRef = [
    { parameter: 'username', name: 'keda-kafka', key: 'KAFKA_USERNAME' },
    { parameter: 'ca', name: 'servers-ca', key: 'kafka.crt' },
  ];
  const login = object('TriggerAuthentication', 'kafka', { spec: { secretTargetRef } });
  assert.match(notesIn(secretFindings([login])).join(), /^create keda-kafka \(KAFKA_USERNAME\) yourself/);
  const isNeeded = (by: object) => by === login;
  assert.match(
    notesIn(secretFindings([login], isNeeded)).join(),
    /keda-kafka .* and servers-ca \(kafka\.crt\) yourself/,
  );
  const authorities = object('Secret', 'servers-ca', { stringData: { 's3.crt': 'x' } });
  assert.deepEqual(faultsIn(secretFindings([login, authorities], isNeeded)), [
    'TriggerAuthentication kafka: the Secret servers-ca has no key kafka.crt: add it.',
  ]);
});
