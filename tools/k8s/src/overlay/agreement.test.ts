import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agreementFindings } from './agreement.ts';
import { programsIn } from './environment.ts';
import { deployment, FROM_SETTINGS, faultsIn, object, settings } from './example-objects.ts';

const found = async (...all: Parameters<typeof programsIn>[0]) => faultsIn(await agreementFindings(programsIn(all)));

test('finds a place of data that differs for one service', async () => {
  const own = (data: Record<string, string>) => [
    ...['submissions', 'transcription'].map(name => deployment(name, FROM_SETTINGS)),
    deployment('media', { envFrom: [...FROM_SETTINGS.envFrom, { configMapRef: { name: 'settings-media' } }] }),
    settings({ S3_BUCKET: 'clips', KAFKA_BROKERS: 'a:9092,b:9092' }),
    object('ConfigMap', 'settings-media', { data }),
  ];
  assert.deepEqual(await found(...own({ KAFKA_BROKERS: 'b:9092, a:9092', MEDIA_SLOTS: '2' })), []);
  assert.deepEqual(await found(...own({ S3_BUCKET: 'clip', KAFKA_TOPIC_PREFIX: 'a.' })), [
    'S3_BUCKET is clips for submissions and transcription, but clip for media: set it once, in the settings of all services.',
    'KAFKA_TOPIC_PREFIX is not set for submissions and transcription, but a. for media: set it once, in the settings of all services.',
  ]);
});

test('finds a collector’s port that expects another protocol', async () => {
  const of = (endpoint: string, more: Record<string, string> = {}) =>
    found(deployment('media', FROM_SETTINGS), settings({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...more }));
  const grpc = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
  assert.deepEqual(await of('http://collector:4318'), []);
  assert.deepEqual(await of('http://collector:4317', grpc), []);
  assert.deepEqual(await of('http://collector:4317'), [
    'OTEL_EXPORTER_OTLP_ENDPOINT has the port 4317, where a collector expects grpc, but OTEL_EXPORTER_OTLP_PROTOCOL is http/protobuf: set OTEL_EXPORTER_OTLP_PROTOCOL=grpc, or the port 4318.',
  ]);
  assert.match((await of('collector:4318', grpc)).join(), /expects http\/protobuf, but .* is grpc: .* the port 4317/);
});

test('finds a backup in the bucket of the clips', async () => {
  const of = (to: string, data: Record<string, string> = {}) =>
    found(
      deployment('backup', { ...FROM_SETTINGS, args: ['tools/admin/src/main.ts', 'backup', '--to', to] }),
      settings({ S3_BUCKET: 'clips', S3_ENDPOINT: 'https://s3.corp.internal', ...data }),
    );
  assert.deepEqual(await of('s3://clips-backup/nightly'), []);
  assert.deepEqual(await of('s3://clips', { BACKUP_S3_ENDPOINT: 'https://other.corp.internal' }), []);
  assert.deepEqual(await of('s3://clips/nightly'), [
    'Deployment backup writes to clips, which is S3_BUCKET itself: name another bucket in --to.',
  ]);
});
