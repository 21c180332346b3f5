import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { createLogger } from '@recording-request/kit/log';
import { testEnvironment } from '@recording-request/testing/environment';
import { until } from '@recording-request/testing/wait';
import { type Admin, type ISocketFactory, Kafka, logLevel, type Producer } from 'kafkajs';
import { type GroupListener, type GroupMember, joinGroup } from '../src/group.ts';

/**
 * Much longer than a heartbeat interval, but shorter than the outage, so that our code replaces a member while kafkajs
 * still retries.
 */
const SILENT_MS = 4_000;
const OUTAGE_MS = 10_000;
/** Longer than kafkajs waits between two retries. */
const SETTLED_MS = 13_000;
const PARTITIONS = [0, 1];
const { env, name } = testEnvironment();
const brokers = env.KAFKA_BROKERS!.split(',');
const outside = new Kafka({ brokers, logLevel: logLevel.NOTHING });
const log = createLogger('kit', 'silent');
let admin: Admin;
let producer: Producer;

before(async () => {
  admin = outside.admin();
  producer = outside.producer();
  await Promise.all([admin.connect(), producer.connect()]);
});
after(() => Promise.all([admin?.disconnect(), producer?.disconnect()]));

/** A network path to the broker. `cut` closes its connections and makes new connections fail. */
function cuttableProxy() {
  const sockets = new Set<Socket>();
  let isCut = false;
  const socketFactory: ISocketFactory = ({ host, port, onConnect }) => {
    // No server listens on port 1.
    const socket = connect({ host, port: isCut ? 1 : port }, onConnect);
    sockets.add(socket);
    return socket.once('close', () => sockets.delete(socket));
  };
  return {
    socketFactory,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy(new Error('the network path is cut'));
    },
    restore() {
      isCut = false;
    },
  };
}

test('after an outage longer than the silence limit, every event is read and the group has one member per consumer', async () => {
  const topic = `${name}.long-outage`;
  const group = `${name}.long-outage`;
  await admin.createTopics({ topics: [{ topic, numPartitions: PARTITIONS.length }] });
  const way = cuttableProxy();
  const { socketFactory } = way;
  const client = new Kafka({ brokers, logLevel: logLevel.NOTHING, socketFactory, connectionTimeout: 1_000 });
  const taken = new Set<string>();
  const listener: GroupListener = {
    onAssigned: () => {},
    onBatch(batch) {
      for (const { value } of batch.messages) taken.add(String(value));
      return true;
    },
  };
  const publish = async (text: string) => {
    await producer.send({
      topic,
      messages: PARTITIONS.map(partition => ({ partition, value: `${text} ${partition}` })),
    });
    return PARTITIONS.map(partition => `${text} ${partition}`);
  };
  const members: GroupMember[] = [];
  try {
    for (const _ of [1, 2]) members.push(await joinGroup({ client, topic, group, log, silentMs: SILENT_MS }, listener));
    const first = await publish('before');
    await until('the records sent before the cut arrive', () => first.every(each => taken.has(each)));

    way.cut();
    const cutAt = performance.now();
    const during = await publish('during');
    await until('the outage has lasted', () => performance.now() - cutAt > OUTAGE_MS);
    way.restore();
    const settledAt = performance.now() + SETTLED_MS;

    const sent = during;
    const missing = () => sent.filter(each => !taken.has(each));
    const comes = () => until('everything comes', () => missing().length === 0, { limitMs: 40_000 }).catch(() => {});
    await comes();
    while (performance.now() < settledAt && missing().length === 0) {
      sent.push(...(await publish(`after ${sent.length}`)));
      await comes();
    }
    assert.deepEqual(missing(), [], 'no event is dropped');
    const { groups } = await admin.describeGroups([group]);
    assert.equal(groups[0]!.members.length, members.length, 'the group has no other members');
  } finally {
    await Promise.all(members.map(member => member.leave()));
  }
});

test('a join returns while its group waits for a busy member, and gets partitions when that member ends its work', async t => {
  const topic = `${name}.busy`;
  const group = `${name}.busy`;
  await admin.createTopics({ topics: [{ topic, numPartitions: PARTITIONS.length }] });
  const client = new Kafka({ brokers, logLevel: logLevel.NOTHING });
  const busy = client.consumer({ groupId: group, sessionTimeout: 30_000, rebalanceTimeout: 60_000 });
  const [taking, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let member: GroupMember | undefined;
  try {
    await busy.connect();
    await busy.subscribe({ topic, fromBeginning: true });
    await busy.run({
      async eachMessage() {
        taking.resolve();
        await letGo.promise;
      },
    });
    await producer.send({ topic, messages: [{ partition: 0, value: 'long work' }] });
    await taking.promise;
    const assigned = Promise.withResolvers<void>();
    let hasShare = false;
    const onAssigned = () => {
      hasShare = true;
      assigned.resolve();
    };
    member = await joinGroup({ client, topic, group, log }, { onAssigned, onBatch: () => true });
    assert.equal(hasShare, false, 'a service starts before its group has shared out the partitions');
    const warn = t.mock.method(log, 'warn');
    letGo.resolve();
    await assigned.promise;
    const warnings = warn.mock.calls.map(({ arguments: [, sentence] }) => sentence);
    assert.deepEqual(
      warnings,
      ['A consumer group has a member of another program'],
      'the log reports the other program',
    );
  } finally {
    letGo.resolve();
    await Promise.all([member?.leave(), busy.disconnect()]);
  }
});
