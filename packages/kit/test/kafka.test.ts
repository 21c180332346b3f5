import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testEnvironment } from '@recording-request/test/environment';
import { kafkaVariables, loadConfig } from '../src/config.ts';
import { connectKafka } from '../src/kafka.ts';
import { createLogger } from '../src/log.ts';

test('services that start together on an empty Kafka all get to take events', async () => {
  const config = loadConfig(testEnvironment().env, kafkaVariables);
  const start = async (topicPrefix: string, group: string) => {
    const kafka = await connectKafka({
      brokers: config.kafkaBrokers,
      clientId: group,
      topicPrefix,
      partitions: 16,
      replication: 1,
      log: createLogger('test', 'silent'),
    });
    try {
      await kafka.consume({ topic: 'media.events', group, slots: 1, jobLimitMs: 1_000, handle: async () => {} });
    } finally {
      await kafka.close();
    }
  };
  for (const round of [1, 2, 3, 4]) {
    const services = Array.from({ length: 8 }, (_, i) => start(`${config.kafkaTopicPrefix}${round}.`, `service${i}`));
    const refused = (await Promise.allSettled(services)).filter(result => result.status === 'rejected');
    assert.deepEqual(
      refused.map(({ reason }) => (reason as Error).message),
      [],
      'a service did not start, because another was making the topics at that moment',
    );
  }
});
