import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Manifest } from '../manifests.ts';
import { programsIn } from './environment.ts';
import { deployment, FROM_SETTINGS, faultsIn, object, secretKey, settings } from './example-objects.ts';
import { loginFindings } from './logins.ts';

const COMMON = { KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512', KAFKA_USERNAME: 'migrate' };
const FILE = settings({ ...COMMON, KAFKA_PASSWORD_FILE: '/secrets/KAFKA_PASSWORD' });
const OWN = object('ConfigMap', 'settings-media', { data: { KAFKA_USERNAME: 'media' } });
const from = (...names: string[]) => names.map(name => ({ configMapRef: { name } }));
// It does not use Kafka.
const gateway = deployment('gateway', FROM_SETTINGS);
const media = deployment('media', { envFrom: from('settings', 'settings-media') });

/** Returns a Job of the command with its own Secret, as a folder of files. */
const task = (name: string, secretName: string, env: object[] = []): Manifest => {
  const volumeMounts = [{ name: 'secrets', mountPath: '/secrets' }];
  const containers = [{ name, args: ['tools/admin/src/main.ts', name], ...FROM_SETTINGS, env, volumeMounts }];
  const volumes = [{ name: 'secrets', secret: { secretName } }];
  return object('Job', name, { spec: { template: { spec: { containers, volumes } } } });
};
const found = async (...all: Manifest[]) => faultsIn(await loginFindings(programsIn(all), all));

test('finds tasks that share the common user, with passwords of different Secrets', async () => {
  assert.deepEqual(await found(FILE, OWN, gateway, media, task('migrate', 'of-migrate'), task('backup', 'of-backup')), [
    "KAFKA_USERNAME=migrate of the common settings applies to migrate and backup, whose passwords come from different Secrets: set the user of each, in settings-NAME of a service or by a patch of the task's env (Helm: services.NAME.settings).",
  ]);
  const asVariables = (name: string) => task(name, 'any', [secretKey('KAFKA_PASSWORD', `of-${name}`, true)]);
  assert.match(
    (await found(settings(COMMON), OWN, media, asVariables('migrate'), asVariables('backup'))).join(),
    /applies to migrate and backup/,
  );
});

test('accepts an own user of each, a common one of all, and a common Secret', async () => {
  const migrate = task('migrate', 'of-migrate');
  const backup = task('backup', 'of-backup', [{ name: 'KAFKA_USERNAME', value: 'backup' }]);
  assert.deepEqual(await found(FILE, OWN, media, migrate, backup), []);
  assert.deepEqual(await found(FILE, migrate, task('backup', 'of-backup')), []);
  assert.deepEqual(await found(FILE, OWN, media, migrate, task('backup', 'of-migrate')), []);
  const named = task('backup', 'of-backup', [secretKey('KAFKA_USERNAME', 'of-backup', true)]);
  assert.deepEqual(await found(FILE, OWN, media, migrate, named), []);
  const { KAFKA_SASL_MECHANISM: _, ...open } = FILE.data;
  assert.deepEqual(await found(settings(open), OWN, media, migrate, task('backup', 'of-backup')), []);
});

test('a Secret of the overlay without a name leaves the common one', async () => {
  const named = task('backup', 'of-backup', [secretKey('KAFKA_USERNAME', 'of-backup', true)]);
  const secret = object('Secret', 'of-backup', { stringData: { KAFKA_PASSWORD: 'x' } });
  assert.match(
    (await found(FILE, OWN, media, task('migrate', 'of-migrate'), named, secret)).join(),
    /migrate and backup/,
  );
});
