import { SERVICES } from '@recording-request/stack/service-plan';
import { Kafka, logLevel } from 'kafkajs';
import type { ClusterCase } from '../cluster-case.ts';
import { whileContributing, withoutFailures } from '../requests.ts';

const MORE = 24;

export const partitions: ClusterCase = {
  name: 'partitions',
  promise: 'topics get 24 partitions in place of 6 under load: nothing is stuck, and each event comes once',
  async run(harness, plan) {
    const { product, serversEnv } = harness;
    const admin = new Kafka({ brokers: serversEnv.KAFKA_BROKERS!.split(','), logLevel: logLevel.NOTHING }).admin();
    const grow = async () => {
      await admin.connect();
      const topics = (await admin.listTopics()).filter(topic => !topic.startsWith('__'));
      const { topics: found } = await admin.fetchTopicMetadata({ topics });
      const smaller = found.filter(each => each.partitions.length < MORE);
      await admin.createPartitions({ topicPartitions: smaller.map(({ name }) => ({ topic: name, count: MORE })) });
      await admin.disconnect();
      harness.noted(`${smaller.length} topics grew`);
      // Who sends learns of the new ones with its next start, who reads by itself.
      await product.in(['rollout', 'restart', ...SERVICES.map(name => `deployment/${name}`)]);
      await product.settled();
    };
    await withoutFailures(harness, () => whileContributing(harness, plan, grow));
  },
};
