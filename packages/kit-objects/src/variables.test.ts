import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '@recording-request/kit/config';
import { objectVariables } from './variables.ts';

const STORE = { S3_ENDPOINT: 'http://store' };
const KEYS = { S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b' };
const ROLE = { ...STORE, S3_CREDENTIALS: 'role' };
const TOKEN = { AWS_ROLE_ARN: 'arn:aws:iam::1:role/media', AWS_WEB_IDENTITY_TOKEN_FILE: '/token' };

const load = (env: NodeJS.ProcessEnv) => loadConfig(env, objectVariables);

test('the keys are required by default, and both missing keys are named', () => {
  assert.equal(load({ ...STORE, ...KEYS }).s3AccessKey?.(), 'a');
  assert.throws(() => load(STORE), /S3_ACCESS_KEY is not set\n.*S3_SECRET_KEY is not set/);
  assert.throws(() => load({ ...STORE, ...KEYS, S3_CREDENTIALS: 'roles' }), /S3_CREDENTIALS must be keys or role/);
});

test('a role replaces the keys and excludes them', () => {
  for (const env of [ROLE, { ...ROLE, ...TOKEN }, { ...ROLE, S3_ACCESS_KEY: '', S3_SECRET_KEY_FILE: '/none' }])
    assert.deepEqual(load(env).s3AccessKey, undefined);
  assert.throws(() => load({ ...ROLE, ...KEYS }), /S3_ACCESS_KEY is set, but S3_CREDENTIALS is role: unset one/);
  assert.throws(
    () => load({ ...ROLE, S3_SECRET_KEY_FILE: import.meta.filename }),
    /S3_SECRET_KEY is set, but S3_CREDENTIALS is role/,
  );
  for (const [name, value] of Object.entries(TOKEN))
    assert.throws(() => load({ ...ROLE, [name]: value }), /of AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE only one/);
});
