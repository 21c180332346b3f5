import type { Drill } from '../drill.ts';

export const consumerStuck: Drill = {
  name: 'consumer-stuck',
  promise: 'A consumer that is given nothing any more, while events go on to come, is named with its group',
  expects: { alert: 'ConsumerStuck', severity: 'page', labels: { messaging_consumer_group_name: /\.webhooks/ } },
  async begin({ harness }, mended) {
    // Its connections stay open and transfer nothing: neither the service nor Kafka sees an error.
    harness.proxies('kafka', 'webhooks').freeze();
    mended.defer(() => harness.proxies('kafka', 'webhooks').pass());
  },
};
