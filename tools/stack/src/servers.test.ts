import './testing/own-servers.ts';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Kafka, logLevel } from 'kafkajs';
import { Client } from 'minio';
import mongoose from 'mongoose';
import { isAlive } from './child-process.ts';
import { type Servers, startServers } from './servers.ts';
import { tempDir } from './testing/temp-dir.ts';
import { waitFor } from './wait.ts';

const quiet = () => {};
let dir: Awaited<ReturnType<typeof tempDir>>;
let servers: Servers;

before(async () => {
  dir = await tempDir();
  servers = await startServers({ dataDir: dir.path, log: quiet });
});
after(async () => {
  await servers?.stop();
  await dir?.[Symbol.asyncDispose]();
});

test('MongoDB commits a transaction, and an aborted one leaves nothing', async () => {
  const client = await new mongoose.mongo.MongoClient(servers.mongoUrl).connect();
  try {
    const notes = client.db('t').collection<{ _id: string }>('notes');
    await client.withSession(session => session.withTransaction(() => notes.insertOne({ _id: 'kept' }, { session })));
    const failing = client.withSession(session =>
      session.withTransaction(async () => {
        await notes.insertOne({ _id: 'lost' }, { session });
        throw new Error('no');
      }),
    );
    await assert.rejects(failing, /no/);
    assert.deepEqual(await notes.find().toArray(), [{ _id: 'kept' }]);
  } finally {
    await client.close();
  }
});

test('Kafka keeps records for a group, and creates no topic by itself', async () => {
  const kafka = new Kafka({ clientId: 't', brokers: servers.kafkaBrokers, logLevel: logLevel.NOTHING });
  const [admin, producer, consumer] = [
    kafka.admin(),
    kafka.producer({ idempotent: true }),
    kafka.consumer({ groupId: 'g' }),
  ];
  try {
    await admin.connect();
    await admin.createTopics({ topics: [{ topic: 'facts', numPartitions: 2 }], waitForLeaders: true });
    await producer.connect();
    await producer.send({ topic: 'facts', messages: [{ key: 'k', value: 'v' }] });
    await consumer.connect();
    await consumer.subscribe({ topic: 'facts', fromBeginning: true });
    const heard = Promise.withResolvers<string>();
    await consumer.run({ eachMessage: async ({ message }) => heard.resolve(`${message.key}=${message.value}`) });
    assert.equal(await heard.promise, 'k=v');
    const unknown = { topic: 'nobody-made-this', messages: [{ value: 'v' }] };
    await assert.rejects(kafka.producer({ retry: { retries: 1 } }).send(unknown));
    assert.ok(!(await admin.listTopics()).includes('nobody-made-this'));
  } finally {
    await Promise.allSettled([consumer.disconnect(), producer.disconnect(), admin.disconnect()]);
  }
});

test('the S3 store returns the stored object', async () => {
  const { endpoint, accessKey, secretKey, region } = servers.s3;
  const { hostname, port } = new URL(endpoint);
  const client = new Client({ endPoint: hostname, port: Number(port), useSSL: false, accessKey, secretKey, region });
  await client.makeBucket('bucket', region);
  await client.putObject('bucket', 'k', 'some bytes');
  const chunks: Buffer[] = [];
  for await (const chunk of await client.getObject('bucket', 'k')) chunks.push(chunk);
  assert.equal(Buffer.concat(chunks).toString(), 'some bytes');
});

test('returns every address in its variable', () => {
  const names = ['KAFKA_BROKERS', 'MONGO_URL', 'S3_ACCESS_KEY', 'S3_ENDPOINT', 'S3_REGION', 'S3_SECRET_KEY'];
  const speech = ['SPEECH_API_KEY', 'SPEECH_BASE_URL', 'SPEECH_MODEL'];
  assert.deepEqual(Object.keys(servers.env).sort(), [...names, ...speech]);
});

test('keeps data through a restart on other ports, and reports a server that ends by itself', async () => {
  await using own = await tempDir();
  const options = { dataDir: own.path, only: ['mongo' as const], log: quiet };
  const first = await startServers(options);
  const insert = await new mongoose.mongo.MongoClient(first.mongoUrl).connect();
  const { transactionLifetimeLimitSeconds } = await insert
    .db('admin')
    .command({ getParameter: 1, transactionLifetimeLimitSeconds: 1 });
  assert.equal(transactionLifetimeLimitSeconds, 30, 'the locks of a killed process expire soon');
  await insert.db('t').collection('notes').insertOne({ text: 'kept' });
  await insert.close();
  await first.stop();
  assert.equal(isAlive(first.servers.mongo!.pid!), false);

  const died = Promise.withResolvers<string>();
  await using second = await startServers({
    ...options,
    onExit: (name, { signal }) => died.resolve(`${name} ${signal}`),
  });
  assert.notEqual(second.mongoUrl, first.mongoUrl);
  const find = await new mongoose.mongo.MongoClient(second.mongoUrl).connect();
  assert.equal((await find.db('t').collection('notes').findOne({}))?.text, 'kept');
  await find.close();
  process.kill(second.servers.mongo!.pid!, 'SIGKILL');
  assert.equal(await died.promise, 'mongo SIGKILL');
});

test('names a server that does not start, with the end of its log, and ends the others', async () => {
  await using own = await tempDir();
  const broken = join(own.path, 'broken');
  await writeFile(broken, '#!/bin/sh\necho the disk is on fire >&2\nexit 9\n');
  await chmod(broken, 0o755);
  const env = { ...process.env, MINIO_BIN: broken };
  const starting = startServers({ dataDir: own.path, only: ['s3', 'mongo'], log: quiet, env });
  await assert.rejects(starting, /^NotReadyError: s3 ended \(exit code 9\)[\s\S]*the disk is on fire/);
  // This start succeeds only if no process still locks the folder of the database.
  await using _again = await startServers({ dataDir: own.path, only: ['mongo'], log: quiet });
});

test('uses a server that already runs', async () => {
  await using own = await tempDir();
  const s3 = { S3_ENDPOINT: 'http://s3', S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b', S3_REGION: 'eu-north-1' };
  const env = { KAFKA_BROKERS: 'a:1,b:2', SPEECH_BASE_URL: 'http://speech/v1', ...s3 };
  await using outside = await startServers({ dataDir: own.path, only: ['kafka', 'speech', 's3'], log: quiet, env });
  assert.deepEqual(outside.kafkaBrokers, ['a:1', 'b:2']);
  assert.equal(outside.servers.speech?.pid, undefined);
  assert.equal(outside.servers.s3?.pid, undefined);
  assert.partialDeepStrictEqual(outside.env, s3);
  const half = startServers({ dataDir: own.path, only: ['s3'], log: quiet, env: { S3_ENDPOINT: 'http://s3' } });
  await assert.rejects(half, /S3_ACCESS_KEY and S3_SECRET_KEY/);
});

test('the servers end with their parent, even when it is killed', async () => {
  await using own = await tempDir();
  const script = fileURLToPath(new URL('./testing/hold-servers.ts', import.meta.url));
  const parent = spawn(process.execPath, [script, own.path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const line = await new Promise<string>((resolve, reject) => {
    parent.stdout.setEncoding('utf8').once('data', resolve);
    parent.once('exit', code => reject(new Error(`ended with ${code}`)));
  });
  const pids = line.replace('pids ', '').trim().split(',').map(Number);
  assert.equal(pids.length, 4);
  assert.ok(pids.every(isAlive));
  parent.kill('SIGKILL');
  await waitFor('the end of the children', async () => (pids.some(isAlive) ? undefined : true), { timeoutMs: 10_000 });
});
