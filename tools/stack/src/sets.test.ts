import './testing/own-servers.ts';
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Kafka, logLevel } from 'kafkajs';
import mongoose from 'mongoose';
import { makeAuthority } from './authority.ts';
import { ensure } from './install/ensure.ts';
import { type Brokers, startBrokers } from './servers/kafka-brokers.ts';
import { type MongoSet, startMongoSet } from './servers/mongo-set.ts';
import { tempDir } from './testing/temp-dir.ts';
import { waitFor } from './wait.ts';

const HOST = '127.0.0.1';
const PASSWORD = 'the-password-of-the-service';
const PARTITIONS = 3;
const authority = await makeAuthority();
const stack = new AsyncDisposableStack();
let mongo: MongoSet;
let kafka: Brokers;

before(async () => {
  const { path: dataDir } = stack.use(await tempDir());
  const installed = await ensure(['mongo', 'kafka'], () => {});
  const certificate = { ...(await authority.issue([HOST])), ca: authority.cert };
  const users = { service: PASSWORD };
  [mongo, kafka] = await Promise.all([
    startMongoSet(installed.mongo!, { dataDir, certificate, login: true, electionTimeoutMs: 1_000 }),
    startBrokers(installed.kafka!, { dataDir, certificate, users }),
  ]);
  stack.use(mongo);
  stack.use(kafka);
});
after(() => stack.disposeAsync());

// Both tests wait until the other members notice a loss, so they run concurrently.
describe('clusters of three', { concurrency: true }, () => {
  test('a MongoDB set requires a login, keeps acknowledged writes when its primary ends, and takes it back', async () => {
    await using clients = new AsyncDisposableStack();
    const clientOf = (url: string) => clients.adopt(new mongoose.mongo.MongoClient(url), each => each.close());
    const stranger = clientOf(mongo.url.replace(/root:\w+@/, ''));
    await assert.rejects(stranger.db('t').collection('notes').findOne(), { codeName: 'Unauthorized' });
    const notes = clientOf(mongo.url).db('t').collection<{ _id: string }>('notes');
    await notes.insertOne({ _id: 'before' });
    const { restart } = await mongo.killPrimary();
    // Repeats the write. The driver retries only once, possibly before it knows that the primary has ended.
    const write = () => notes.updateOne({ _id: 'after' }, { $set: { text: 'kept' } }, { upsert: true });
    await waitFor('a write', write, { timeoutMs: 30_000, checkMs: 30_000 });
    await restart();
    assert.equal(await notes.countDocuments(), 2);
  });

  test('brokers require a login, and keep acknowledged records when the busiest leader ends', async () => {
    const topic = 'facts';
    const as = (password: string) =>
      new Kafka({
        brokers: kafka.secureAddresses,
        ssl: { ca: [authority.cert] },
        sasl: { mechanism: 'scram-sha-512', username: 'service', password },
        logLevel: logLevel.NOTHING,
        // Retries for longer than nine seconds: after this time, the partitions of a silent broker get another leader.
        retry: { retries: 60, maxRetryTime: 500 },
      });
    await assert.rejects(
      as('not-the-password')
        .admin({ retry: { retries: 0 } })
        .connect(),
      /[Aa]uthentication/,
    );
    await using clients = new AsyncDisposableStack();
    const client = as(PASSWORD);
    const admin = clients.adopt(client.admin(), each => each.disconnect());
    const producer = clients.adopt(client.producer(), each => each.disconnect());
    await Promise.all([admin.connect(), producer.connect()]);
    await admin.createTopics({ topics: [{ topic, numPartitions: PARTITIONS }], waitForLeaders: false });
    const send = () =>
      producer.send({
        topic,
        acks: -1,
        messages: Array.from({ length: PARTITIONS }, (_, partition) => ({ partition, value: 'v' })),
      });
    // A broker that does not know the new topic yet reports that the topic does not exist.
    await waitFor('the topic', async () => (await send()).length > 0 || undefined, { timeoutMs: 30_000 });
    const { address } = await kafka.killLeader();
    await send();
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const lost = kafka.addresses.indexOf(address) + 1;
    assert.ok(topics[0]!.partitions.every(({ leader, replicas }) => leader !== lost && replicas.length === 3));
    const ends = await admin.fetchTopicOffsets(topic);
    assert.ok(ends.every(({ high }) => Number(high) >= 2));
  });
});
