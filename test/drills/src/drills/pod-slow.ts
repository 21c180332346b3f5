import type { Drill } from '../drill.ts';

const LAG_MS = 400;

export const podSlow: Drill = {
  name: 'pod-slow',
  promise: 'The alert names the one of two processes whose node has a slow connection to the database',
  expects: { alert: 'InstanceSlow', severity: 'page', labels: { instance: /^projects-1$/ } },
  async begin({ harness: { fleet } }, repair) {
    const { mongo } = fleet.of('projects')[1]!.proxies.to;
    for (const proxy of mongo) proxy.lag(LAG_MS);
    repair.defer(async () => void (await Promise.all(mongo.map(proxy => proxy.pass()))));
  },
};
