import type { Drill } from '../drill.ts';

const LAG_MS = 400;

export const podSlow: Drill = {
  name: 'pod-slow',
  promise: 'One process of two, whose node reaches the database badly, is named among its equals',
  expects: { alert: 'InstanceSlow', severity: 'page', labels: { instance: /^projects-1$/ } },
  async begin({ harness: { fleet } }, mended) {
    const { mongo } = fleet.of('projects')[1]!.proxies.to;
    for (const proxy of mongo) proxy.lag(LAG_MS);
    mended.defer(async () => void (await Promise.all(mongo.map(proxy => proxy.pass()))));
  },
};
