import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '@recording-request/kit/config';
import { kafkaVariables } from '@recording-request/kit/kafka-variables';
import { createLogger } from '@recording-request/kit/log';
import { testEnvironment } from '@recording-request/testing/environment';
import { connectKafka } from '../src/kafka.ts';

test('services that start together on an empty Kafka all get to take events', async () => {
  const config = loadConfig(testEnvironment().env, kafkaVariables);
  const start = async (kafkaTopicPrefix: string, group: string) => {
    const settings = { ...config, kafkaTopicPrefix, kafkaPartitions: 16, kafkaReplication: 1 };
    const kafka = await connectKafka(settings, { clientId: group, log: createLogger('test', 'silent') });
    try {
      await kafka.consume({ topic: 'media.events', group, concurrency: 1, jobLimitMs: 1_000, handle: async () => {} });
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
