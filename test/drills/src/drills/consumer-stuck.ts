import type { Drill } from '../drill.ts';

export const consumerStuck: Drill = {
  name: 'consumer-stuck',
  promise: 'The alert names the group of a consumer that receives no events while new events arrive',
  expects: { alert: 'ConsumerStuck', severity: 'page', labels: { messaging_consumer_group_name: /\.webhooks/ } },
  async begin({ harness }, repair) {
    // The connections stay open but transfer nothing, so neither the service nor Kafka sees an error.
    harness.proxies('kafka', 'webhooks').freeze();
    repair.defer(() => harness.proxies('kafka', 'webhooks').pass());
  },
};
