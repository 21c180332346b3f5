import type { Drill } from '../drill.ts';

export const kafkaDown: Drill = {
  name: 'kafka-down',
  promise:
    'Kafka that nobody reaches is told by the events that are not published, not by each consumer that has nothing to do',
  expects: { alert: 'EventsNotPublished', severity: 'page' },
  async begin({ harness }, mended) {
    await harness.proxies('kafka').down();
    mended.defer(() => harness.proxies('kafka').pass());
  },
};
