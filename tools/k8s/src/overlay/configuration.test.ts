import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tempDir } from '@recording-request/stack/testing/temp-dir';
import type { Manifest } from '../manifests.ts';
import {
  configurationFindings,
  overriddenSettings,
  secretSettings,
  startsOf,
  unknownSettings,
} from './configuration.ts';
import { programsIn } from './environment.ts';
import { deployment, FROM_SETTINGS, faultsIn, object, secretKey, settings } from './example-objects.ts';
import { fileFindings, filesRead, keysRead } from './files.ts';
import { openStandInFiles } from './stand-ins.ts';

const DATA = {
  KAFKA_BROKERS: 'kafka-1:9092',
  S3_ENDPOINT: 'https://s3.corp.internal',
  SPEECH_BASE_URL: 'https://speech.corp.internal/v1',
  SUBMISSIONS_GRPC: 'dns:///submissions:50051',
  TLS_CERT_FILE: '/tls/tls.crt',
  TLS_KEY_FILE: '/tls/tls.key',
  TLS_CA_FILE: '/tls/ca.crt',
};
const env = [
  ...['S3_ACCESS_KEY', 'S3_SECRET_KEY', 'SPEECH_API_KEY'].map(name => secretKey(name, 'ours')),
  ...['KAFKA_USERNAME', 'KAFKA_PASSWORD', 'KAFKA_OAUTH_CLIENT_SECRET'].map(name => secretKey(name, 'ours', true)),
];
const volumeMounts = [
  { name: 'tls', mountPath: '/tls' },
  { name: 'servers-ca', mountPath: '/servers-ca' },
];
const volumes = [
  { name: 'tls', secret: { secretName: 'tls-transcription' } },
  { name: 'servers-ca', secret: { secretName: 'servers-ca', optional: true } },
];
const service = deployment('transcription', { ...FROM_SETTINGS, env, volumeMounts }, volumes);
const all = (data: Record<string, string>, ...more: Manifest[]) => [service, settings({ ...DATA, ...data }), ...more];

async function refused(...objects: Manifest[]): Promise<string[]> {
  await using dir = await tempDir();
  return faultsIn(configurationFindings(await startsOf(programsIn(objects), await openStandInFiles(dir.path))));
}

test('accepts a complete configuration whose secrets and files only the cluster knows', async () => {
  assert.deepEqual(await refused(...all({})), []);
  const login = { KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512', KAFKA_TLS: 'true', KAFKA_CA_FILE: '/servers-ca/kafka.crt' };
  assert.deepEqual(await refused(...all(login)), []);
});

test('says which optional secrets the settings need', async () => {
  await using dir = await tempDir();
  const login = { KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512', KAFKA_USERNAME: 'clips' };
  const [start] = await startsOf(programsIn(all(login)), await openStandInFiles(dir.path));
  assert.deepEqual([...start!.needed], ['KAFKA_PASSWORD']);
});

test('a backup to the store of the clips needs that store’s keys, and to another store its own, too', async () => {
  const names = ['S3_ACCESS_KEY', 'S3_SECRET_KEY', 'BACKUP_S3_ACCESS_KEY', 'BACKUP_S3_SECRET_KEY'];
  const args = ['tools/admin/src/main.ts', 'backup', '--to', 's3://backups'];
  const keys = [secretKey('MONGO_URL', 'ours'), ...names.map(name => secretKey(name, 'ours', true))];
  const of = async (more: Record<string, string>) => {
    await using dir = await tempDir();
    const objects = [deployment('backup', { ...FROM_SETTINGS, args, env: keys }), settings({ ...DATA, ...more })];
    const [start] = await startsOf(programsIn(objects), await openStandInFiles(dir.path));
    return start!;
  };
  const own = { BACKUP_S3_ENDPOINT: 'https://other.corp.internal' };
  assert.deepEqual([...(await of({ S3_BUCKET: 'clips' })).needed], names.slice(0, 2));
  assert.deepEqual([...(await of({ S3_BUCKET: 'clips', ...own })).needed].sort(), [...names].sort());
  assert.deepEqual((await of({ S3_BUCKET: 'clips', S3_ENDPOINT: '' })).faults, ['S3_ENDPOINT is not set']);
});

test('repeats the sentences of a service about its settings', async () => {
  assert.deepEqual(await refused(...all({ SPEECH_BASE_URL: '', TRANSCRIPTION_SLOTS: 'many' })), [
    'transcription would not start: SPEECH_BASE_URL is not set.',
    'transcription would not start: TRANSCRIPTION_SLOTS must be a whole number from 1 to 64.',
  ]);
  assert.match((await refused(...all({ OTEL_TRACES_SAMPLER: 'some' })))[0]!, /OTEL_TRACES_SAMPLER must be/);
});

test('reads the values of Secrets in the overlay', async () => {
  const secret = object('Secret', 'ours', {
    stringData: { S3_ACCESS_KEY: 'a', S3_SECRET_KEY: '', SPEECH_API_KEY: '' },
  });
  assert.deepEqual(await refused(...all({}, secret)), ['transcription would not start: S3_SECRET_KEY is not set.']);
});

test('names unknown settings, and similar ones', () => {
  const objects = all({ TRANSCRIPTION_SLOT: '2', OTEL_TRACES_SAMPLER: 'always_on' });
  assert.deepEqual(faultsIn(unknownSettings(objects, programsIn(objects))), [
    'settings: no program reads a setting TRANSCRIPTION_SLOT: docs/settings.md and docs/telemetry.md list all; a similar one is TRANSCRIPTION_SLOTS.',
  ]);
});

test('names a setting of one service that its container overrides', () => {
  const own = object('ConfigMap', 'settings-media-2k4m6', { data: { STOP_GRACE_SECONDS: '700', MEDIA_SLOTS: '2' } });
  const envFrom = [...FROM_SETTINGS.envFrom, { configMapRef: { name: own.metadata.name } }];
  const media = deployment('media', { envFrom, env: [{ name: 'STOP_GRACE_SECONDS', value: '640' }] });
  const objects = [media, own, settings({ STOP_GRACE_SECONDS: '30' })];
  assert.deepEqual(faultsIn(overriddenSettings(objects, programsIn(objects))), [
    'settings-media: STOP_GRACE_SECONDS has no effect, because Deployment media has this variable: patch it there.',
  ]);
});

test('names files that no volume provides, and keys that a Secret in the overlay lacks', async () => {
  const found = async (data: Record<string, string>, ...more: Manifest[]) => {
    const objects = all(data, ...more);
    return faultsIn(fileFindings(await filesRead(programsIn(objects)), objects));
  };
  assert.deepEqual(await found({ S3_CA_FILE: '/servers-ca/s3.crt' }), []);
  assert.deepEqual(await found({ S3_CA_FILE: '/server-ca/s3.crt' }), [
    'S3_CA_FILE=/server-ca/s3.crt: no volume is mounted there: correct the path, or mount a volume (transcription).',
  ]);
  const authorities = object('Secret', 'servers-ca', { stringData: { 's3.pem': 'x' } });
  assert.match(
    (await found({ S3_CA_FILE: '/servers-ca/s3.crt' }, authorities))[0]!,
    /the Secret servers-ca has no key s3\.crt/,
  );
});

test('lists the files of an optional Secret that nothing in the overlay creates', async () => {
  const keys = async (data: Record<string, string>, ...more: Manifest[]) => {
    const optional = structuredClone(service);
    for (const { secret } of optional.spec.template.spec.volumes) secret.optional = true;
    const objects = [optional, settings({ ...DATA, S3_CA_FILE: '/servers-ca/s3.crt', ...data }), ...more];
    return keysRead(await filesRead(programsIn(objects)), objects).map(({ secret, key }) => `${secret} ${key}`);
  };
  const own = ['tls.crt', 'tls.key', 'ca.crt'].map(key => `tls-transcription ${key}`);
  assert.deepEqual((await keys({})).sort(), ['servers-ca s3.crt', ...own].sort());
  assert.deepEqual(await keys({ INTERNAL_PLAINTEXT: 'true' }), ['servers-ca s3.crt']);
  assert.deepEqual((await keys({}, object('Secret', 'servers-ca', { stringData: {} }))).sort(), [...own].sort());
});

test('with Secrets as files, names the missing setting and the keys that files need', async () => {
  const mounted = deployment(
    'transcription',
    { ...FROM_SETTINGS, volumeMounts: [...volumeMounts, { name: 'secrets', mountPath: '/secrets' }] },
    [...volumes, { name: 'secrets', secret: { secretName: 'ours' } }],
  );
  const data = { S3_ACCESS_KEY_FILE: '/secrets/S3_ACCESS_KEY', SPEECH_API_KEY_FILE: '/secrets/SPEECH_API_KEY' };
  const objects = [mounted, settings({ ...DATA, ...data })];
  assert.deepEqual(await refused(...objects), [
    'transcription would not start: S3_SECRET_KEY is not set: set S3_SECRET_KEY_FILE=/secrets/S3_SECRET_KEY.',
  ]);
  const keys = keysRead(await filesRead(programsIn(objects)), objects).map(({ secret, key }) => `${secret} ${key}`);
  assert.deepEqual(keys, [
    'tls-transcription tls.crt',
    'tls-transcription tls.key',
    'tls-transcription ca.crt',
    'ours S3_ACCESS_KEY',
    'ours SPEECH_API_KEY',
  ]);
});

test('finds a secret among the settings', () => {
  assert.deepEqual(faultsIn(secretSettings([settings({ KAFKA_PASSWORD: '', KAFKA_BROKERS: 'k:9092' })])), []);
  assert.deepEqual(faultsIn(secretSettings([settings({ KAFKA_PASSWORD: 'word' })])), [
    'ConfigMap settings: KAFKA_PASSWORD is a secret: move it to the Secret of the workload.',
  ]);
});
