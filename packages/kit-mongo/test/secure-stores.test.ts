import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { inspect } from 'node:util';
import { loadConfig, StartError } from '@recording-request/kit/config';
import { createObjects } from '@recording-request/kit-objects/objects';
import { objectVariables } from '@recording-request/kit-objects/variables';
import { makeAuthority } from '@recording-request/stack/authority';
import { type Servers, startServers } from '@recording-request/stack/servers';
import { until } from '@recording-request/testing/wait';
import { connectMongo } from '../src/mongo.ts';
import { mongoVariables } from '../src/variables.ts';

const PASSWORD = 'the-password-of-the-service';
const authority = await makeAuthority();
const stranger = await makeAuthority();
let dir = '';
let servers: Servers;

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'secure-stores-'));
  const { MONGO_URL: _, S3_ENDPOINT: __, ...others } = process.env;
  const certificate = { ...(await authority.issue(['127.0.0.1'])), ca: authority.cert };
  servers = await startServers({ dataDir: dir, only: ['mongo', 's3'], certificate, log: () => {}, env: others });
});
after(async () => {
  await servers?.stop();
  await rm(dir, { recursive: true, force: true });
});

async function file(name: string, content: string): Promise<string> {
  await writeFile(join(dir, name), content);
  return join(dir, name);
}

test('a database is reached over TLS, with its address from a file, by a user with a password', async () => {
  const plain = await connectMongo(loadConfig(servers.env, mongoVariables), 'plain');
  await plain
    .getClient()
    .db('admin')
    .command({ createUser: 'service', pwd: PASSWORD, roles: ['readWriteAnyDatabase'] });
  await plain.close();
  const address = (password: string) => servers.mongoUrl.replace('://', `://service:${password}@`);
  const env = {
    MONGO_URL_FILE: await file('mongo-url', `${address(PASSWORD)}\n`),
    MONGO_CA_FILE: await file('ca.pem', authority.cert),
  };
  const connection = await connectMongo(loadConfig(env, mongoVariables), 'secure');
  await connection.db!.collection<{ _id: string }>('notes').insertOne({ _id: 'kept' });
  assert.equal(await connection.db!.collection('notes').countDocuments(), 1);
  await connection.close();
  const refused: [NodeJS.ProcessEnv, RegExp][] = [
    [
      { ...env, MONGO_URL_FILE: await file('wrong', address('not-the-password')) },
      /does not accept the user or the password in MONGO_URL/,
    ],
    [
      { ...env, MONGO_CA_FILE: await file('other.pem', stranger.cert) },
      /of MongoDB was not issued by an authority in MONGO_CA_FILE/,
    ],
  ];
  for (const [each, sentence] of refused)
    await assert.rejects(
      connectMongo(loadConfig(each, mongoVariables), 'secure'),
      isFault(sentence, 'not-the-password'),
    );
});

test('an object store is reached over TLS with credentials from files, and replaced files take effect', async () => {
  const { S3_ACCESS_KEY: accessKey = '', S3_SECRET_KEY: secretKey = '', S3_ENDPOINT, S3_REGION } = servers.env;
  const env = {
    S3_ENDPOINT,
    S3_REGION,
    S3_BUCKET: 'secure',
    S3_ACCESS_KEY_FILE: await file('access', accessKey),
    S3_SECRET_KEY_FILE: await file('secret', secretKey),
    S3_CA_FILE: await file('ca.pem', authority.cert),
  };
  const objects = createObjects(loadConfig(env, objectVariables));
  await objects.ensureBucket();
  await objects.put('a', Buffer.from('bytes'), { contentType: 'text/plain' });
  assert.equal(String(await buffer(await objects.get('a'))), 'bytes');
  await file('secret', 'no-longer-the-secret');
  await until('the request has the credentials that the file has now', () =>
    objects.stat('a').then(
      () => false,
      () => true,
    ),
  );
  await file('secret', secretKey);
  await until('the request has the credentials that the file has now', () =>
    objects.stat('a').then(
      () => true,
      () => false,
    ),
  );
  const refused: [NodeJS.ProcessEnv, RegExp][] = [
    [
      { ...env, S3_SECRET_KEY_FILE: await file('wrong', 'not-the-secret') },
      /does not accept S3_ACCESS_KEY with S3_SECRET_KEY/,
    ],
    [
      { ...env, S3_CA_FILE: await file('other.pem', stranger.cert) },
      /of the object store was not issued by an authority in S3_CA_FILE/,
    ],
    [{ ...env, S3_CA_FILE: '' }, /not issued by an authority in Node’s own list: set S3_CA_FILE/],
  ];
  for (const [each, sentence] of refused)
    await assert.rejects(
      createObjects(loadConfig(each, objectVariables)).ensureBucket(),
      isFault(sentence, 'not-the-secret'),
    );
});

const isFault = (sentence: RegExp, secret: string) => (error: Error) => {
  assert.ok(error instanceof StartError, `a fault that an operator must fix is a StartError: ${inspect(error)}`);
  assert.match(error.message, sentence);
  assert.ok(!inspect(error, { depth: 10 }).includes(secret), 'the error has no secret');
  return true;
};
