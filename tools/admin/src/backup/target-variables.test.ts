import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isSameStore, targetSettings } from './target-variables.ts';

const PRODUCT = { S3_ENDPOINT: 'http://store.test', S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b', S3_REGION: 'eu-1' };
const read = (env: NodeJS.ProcessEnv) => {
  const { s3Endpoint, s3AccessKey, s3SecretKey, s3Region, s3Bucket } = targetSettings(env, 'backups');
  return [s3Endpoint, s3AccessKey?.(), s3SecretKey?.(), s3Region, s3Bucket];
};

test('a bucket at the product’s store needs no variable', () => {
  assert.deepEqual(read(PRODUCT), ['http://store.test', 'a', 'b', 'eu-1', 'backups']);
  assert.equal(isSameStore({ ...PRODUCT, BACKUP_S3_ACCESS_KEY: '' }), true);
});

test('an own key replaces the product’s key, also from a file', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'recording-request-key-'));
  await writeFile(join(dir, 'key'), 'own-secret\n');
  const env = { ...PRODUCT, BACKUP_S3_ACCESS_KEY: 'own', BACKUP_S3_SECRET_KEY_FILE: join(dir, 'key') };
  assert.deepEqual(read(env), ['http://store.test', 'own', 'own-secret', 'eu-1', 'backups']);
  assert.equal(isSameStore(env), false);
  const { S3_SECRET_KEY: _, ...rest } = PRODUCT;
  const ofFile = { ...rest, S3_SECRET_KEY_FILE: join(dir, 'key'), BACKUP_S3_SECRET_KEY: 'own' };
  assert.deepEqual(read(ofFile), ['http://store.test', 'a', 'own', 'eu-1', 'backups']);
  await rm(dir, { recursive: true });
});

test('own keys and a role replace each other', () => {
  const { S3_ACCESS_KEY: _a, S3_SECRET_KEY: _s, ...rest } = PRODUCT;
  const ofRole = { ...rest, S3_CREDENTIALS: 'role' };
  const keys = { BACKUP_S3_ACCESS_KEY: 'c', BACKUP_S3_SECRET_KEY: 'd' };
  assert.deepEqual(read(ofRole), ['http://store.test', undefined, undefined, 'eu-1', 'backups']);
  assert.deepEqual(read({ ...ofRole, ...keys }), ['http://store.test', 'c', 'd', 'eu-1', 'backups']);
  const role = { BACKUP_S3_CREDENTIALS: 'role' };
  assert.deepEqual(read({ ...PRODUCT, ...role }), ['http://store.test', undefined, undefined, 'eu-1', 'backups']);
});

test('another store takes no value of the product’s store', () => {
  const env = { ...PRODUCT, BACKUP_S3_ENDPOINT: 'https://other.test' };
  assert.throws(() => read(env), /BACKUP_S3_ACCESS_KEY is not set\n {2}- BACKUP_S3_SECRET_KEY is not set$/);
  const keys = { BACKUP_S3_ACCESS_KEY: 'c', BACKUP_S3_SECRET_KEY: 'd' };
  assert.deepEqual(read({ ...env, ...keys }), ['https://other.test', 'c', 'd', 'us-east-1', 'backups']);
  assert.throws(() => read({ ...PRODUCT, BACKUP_S3_ENDPOINT: 'other.test' }), /BACKUP_S3_ENDPOINT must be an absolute/);
});
