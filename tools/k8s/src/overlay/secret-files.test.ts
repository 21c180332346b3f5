import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Manifest } from '../manifests.ts';
import { programsIn } from './environment.ts';
import { deployment, faultsIn, object, secretKey } from './example-objects.ts';
import { secretFileFindings } from './secret-files.ts';

const mounted = { volumeMounts: [{ name: 'secrets', mountPath: '/secrets' }] };
const HEADERS = secretKey('OTEL_EXPORTER_OTLP_HEADERS', 'ours', true);
const service = (...env: object[]) => deployment('projects', { ...mounted, env });
const pod = (...env: object[]) => ({ template: { spec: { containers: [{ name: 'any', args: ['doctor'], env }] } } });
const doctor = (...env: object[]) => object('Job', 'doctor', { spec: pod(...env) });
const backup = (...env: object[]) => object('CronJob', 'backup', { spec: { jobTemplate: { spec: pod(...env) } } });
const found = (...all: Manifest[]) => faultsIn(secretFileFindings(programsIn(all), all));

test('finds the variables of tasks whose components are listed in the wrong order', () => {
  const variables = [secretKey('MONGO_URL', 'ours'), secretKey('KAFKA_USERNAME', 'ours', true)];
  assert.deepEqual(found(service(HEADERS), doctor(...variables), backup(...variables)), [
    'Job doctor has MONGO_URL from a Secret, which the services read from files: list the component doctor after secrets-as-files.',
    'CronJob backup has MONGO_URL from a Secret, which the services read from files: list the component backup or backup-bucket before secrets-as-files.',
  ]);
});

test('without any variable in services, finds those that no component removes', () => {
  const name = secretKey('KAFKA_USERNAME', 'ours', true);
  assert.deepEqual(found(service(), doctor(HEADERS), backup(name)), [
    'Job doctor has OTEL_EXPORTER_OTLP_HEADERS from a Secret, which no service has as a variable: list the component doctor in the overlay that no-variables changes.',
    'CronJob backup has KAFKA_USERNAME from a Secret, which no service has as a variable: list the component backup or backup-bucket in the overlay that no-variables changes.',
  ]);
  assert.match(
    found(service(), doctor(secretKey('MONGO_URL', 'ours'), name)).join(),
    /^Job doctor has KAFKA_USERNAME and MONGO_URL .* after secrets-as-files, and no-variables in an overlay of this overlay\.$/,
  );
});

test('accepts the variables that cannot be files, and variables where the services have them too', () => {
  assert.deepEqual(found(service(HEADERS), doctor(HEADERS), backup(secretKey('KAFKA_USERNAME', 'ours', true))), []);
  assert.deepEqual(found(service(), doctor(), backup()), []);
  const url = secretKey('MONGO_URL', 'ours');
  assert.deepEqual(found(deployment('projects', { env: [url] }), doctor(url), backup(url)), []);
  assert.deepEqual(found(doctor(url)), []);
});
