import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '@recording-request/stack/testing/temp-dir';
import { storesOf } from './address.ts';

test('a backup uses the running `npm start`, or only the named servers if one is named', async () => {
  await using dir = await tempDir();
  const stores = {
    MONGO_URL: 'mongodb://started',
    KAFKA_BROKERS: 'started:1',
    S3_ENDPOINT: 'http://started',
    S3_BUCKET: 'recordings',
  };
  assert.deepEqual(await storesOf({ HOME: '/' }, dir.path), { HOME: '/' }, 'nothing runs');
  await writeFile(join(dir.path, 'ready.json'), JSON.stringify({ stores }));
  assert.deepEqual(await storesOf({ S3_BUCKET: '' }, dir.path), stores);
  const tried = { S3_BUCKET: 'tried', MONGO_DATABASE_PREFIX: 'tried_' };
  assert.deepEqual(await storesOf(tried, dir.path), { ...stores, ...tried });
  for (const named of [{ KAFKA_BROKERS: 'ours:9092' }, { MONGO_URL_FILE: '/run/mongo' }])
    assert.deepEqual(await storesOf(named, dir.path), named, 'never half of one system and half of the other');
});
