import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Manifest } from '../manifests.ts';
import { authorityFindings } from './authorities.ts';
import { programsIn } from './environment.ts';
import { deployment, FROM_SETTINGS, faultsIn, notesIn, object, settings } from './example-objects.ts';

const container = { ...FROM_SETTINGS, volumeMounts: [{ name: 'servers-ca', mountPath: '/servers-ca' }] };
const volumes = [{ name: 'servers-ca', secret: { secretName: 'servers-ca', optional: true } }];
const secret = (...keys: string[]) =>
  object('ExternalSecret', 'servers-ca', { spec: { data: keys.map(secretKey => ({ secretKey })) } });

const found = (data: Record<string, string>, ...more: Manifest[]) => {
  const all = [deployment('media', container, volumes), settings(data), ...more];
  return authorityFindings(programsIn(all), all);
};

test('accepts files of authorities that settings name, and Secrets whose keys only the cluster knows', async () => {
  const data = { KAFKA_TLS: 'true', S3_ENDPOINT: 'https://s3.corp.internal' };
  assert.deepEqual(await found(data), []);
  const named = { KAFKA_CA_FILE: '/servers-ca/kafka.crt', S3_CA_FILE: '/servers-ca/all.crt' };
  assert.deepEqual(await found({ ...data, ...named }, secret('kafka.crt', 'all.crt')), []);
  const extra = { NODE_EXTRA_CA_CERTS: '/servers-ca/speech.crt' };
  assert.deepEqual(await found({ ...data, ...extra }, secret('speech.crt')), []);
});

test('finds an authority for a server with TLS that its setting does not name', async () => {
  const data = { KAFKA_TLS: 'true', S3_ENDPOINT: 'https://s3.corp.internal' };
  assert.deepEqual(faultsIn(await found(data, secret('kafka.crt', 's3.crt'))), [
    'KAFKA_CA_FILE is not set, but the Secret servers-ca has the key kafka.crt: set KAFKA_CA_FILE=/servers-ca/kafka.crt, or remove the key.',
    'S3_CA_FILE is not set, but the Secret servers-ca has the key s3.crt: set S3_CA_FILE=/servers-ca/s3.crt, or remove the key.',
  ]);
});

test('only notes an authority of which the settings do not say that its server has TLS', async () => {
  const findings = await found({ S3_ENDPOINT: 'http://s3.corp.internal' }, secret('s3.crt', 'other.crt'));
  assert.deepEqual(faultsIn(findings), []);
  assert.deepEqual(notesIn(findings), [
    'no setting names /servers-ca/s3.crt and /servers-ca/other.crt, which the Secret servers-ca has: no service uses these authorities.',
  ]);
});
