import type { Drill } from '../drill.ts';

export const kafkaDown: Drill = {
  name: 'kafka-down',
  promise: 'If Kafka is down, the alert is about unpublished events, not about each idle consumer',
  expects: { alert: 'EventsNotPublished', severity: 'page' },
  async begin({ harness }, repair) {
    await harness.proxies('kafka').down();
    repair.defer(() => harness.proxies('kafka').pass());
  },
};
