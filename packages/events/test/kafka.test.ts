import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig, StartError } from '@recording-request/kit/config';
import { createLogger } from '@recording-request/kit/log';
import { readProgress } from '@recording-request/kit-kafka/progress';
import { type KafkaSettings, kafkaVariables } from '@recording-request/kit-kafka/variables';
import { testEnvironment } from '@recording-request/testing/environment';
import { until } from '@recording-request/testing/wait';
import { Kafka, logLevel } from 'kafkajs';
import { connectKafka, makeTopics } from '../src/kafka.ts';
import { TOPICS } from '../src/topics.ts';

const log = createLogger('test', 'silent');
const config = loadConfig(testEnvironment().env, kafkaVariables);
const silent = () => {};

/** Returns the description of each topic, without its name. */
async function describeTopics(settings: KafkaSettings): Promise<string[]> {
  const lines: string[] = [];
  await makeTopics(settings, { log, report: line => lines.push(line) });
  const names = lines.map(line => line.slice(0, line.indexOf(':')));
  assert.deepEqual(names.sort(), TOPICS.map(topic => `topic ${settings.kafkaTopicPrefix}${topic}`).sort());
  return [...new Set(lines.map(line => line.slice(line.indexOf(':') + 2)))];
}

test('concurrent migrations on an empty Kafka all succeed, and services that start together then all receive events', async () => {
  const start = async (settings: KafkaSettings, group: string) => {
    const kafka = await connectKafka(settings, { clientId: group, log });
    try {
      await kafka.consume({ topic: 'media.events', group, concurrency: 1, jobLimitMs: 1_000, handle: async () => {} });
    } finally {
      await kafka.close();
    }
  };
  const refused = async (started: Promise<void>[]) =>
    (await Promise.allSettled(started))
      .filter(result => result.status === 'rejected')
      .map(({ reason }) => (reason as Error).message);
  for (const round of [1, 2, 3, 4]) {
    const kafkaTopicPrefix = `${config.kafkaTopicPrefix}${round}.`;
    const settings = { ...config, kafkaTopicPrefix, kafkaPartitions: 16, kafkaReplication: 1 };
    const migrations = Array.from({ length: 4 }, () => makeTopics(settings, { log, report: silent }));
    assert.deepEqual(await refused(migrations), [], 'a migration failed, because another was making the topics');
    const services = Array.from({ length: 8 }, (_, i) => start(settings, `service${i}`));
    assert.deepEqual(await refused(services), [], 'a service did not start');
  }
});

test('the offsets of a topic can be read as soon as it is created', async () => {
  const { kafkaBrokers, kafkaTopicPrefix } = config;
  const admin = new Kafka({ brokers: kafkaBrokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    for (const round of [1, 2]) {
      const topic = `made${round}`;
      const topics = [{ topic: kafkaTopicPrefix + topic, numPartitions: 100 }];
      await admin.createTopics({ topics, waitForLeaders: false });
      // A broker lists a topic before it leads its partitions.
      await until(`${topic} is listed`, async () => {
        await using progress = await readProgress(config);
        if (!progress.has(topic)) return false;
        assert.deepEqual(await progress.of(topic, 'group'), { published: 0n, kept: 0n, waiting: 0n });
        return true;
      });
      await admin.deleteTopics({ topics: [kafkaTopicPrefix + topic] });
    }
  } finally {
    await admin.disconnect();
  }
});

test('a service fails at once when a topic is missing, with its name and the command that creates it', async () => {
  const settings = { ...config, kafkaTopicPrefix: `${config.kafkaTopicPrefix}missing.` };
  await assert.rejects(connectKafka(settings, { clientId: 'service', log }), (error: Error) => {
    assert.ok(error instanceof StartError);
    assert.match(error.message, /^The topics .*missing\.media\.work.* do not exist: run "npm run admin -- migrate"/);
    return true;
  });
});

test('topics are created once; a higher partition setting adds partitions, a lower one keeps them', async () => {
  const settings = { ...config, kafkaTopicPrefix: `${config.kafkaTopicPrefix}grow.`, kafkaPartitions: 2 };
  await makeTopics(settings, { log, report: silent, validateOnly: true });
  assert.deepEqual(await describeTopics(settings), ['made, with 2 partitions'], 'the check created nothing');
  assert.deepEqual(await describeTopics(settings), ['is there, with 2 partitions']);
  assert.deepEqual(await describeTopics({ ...settings, kafkaPartitions: 3 }), ['made larger, from 2 to 3 partitions']);
  assert.deepEqual(await describeTopics({ ...settings, kafkaPartitions: 1 }), ['is there, with 3 partitions']);
});
