import { SERVICES } from '@recording-request/stack/service-plan';
import type { ClusterCase } from '../cluster-case.ts';
import { whileContributing, withoutFailures } from '../requests.ts';

export const rollingRestart: ClusterCase = {
  name: 'rolling-restart',
  promise: 'a rolling restart of everything fails no request and loses nothing',
  async run(harness, plan) {
    const { product } = harness;
    const restart = async () => {
      // One after the other: all at once would ask for the processor of twelve pods' starts, which one node may not have.
      for (const service of SERVICES) {
        await product.in(['rollout', 'restart', `deployment/${service}`]);
        await product.settled();
      }
    };
    await withoutFailures(harness, () => whileContributing(harness, plan, restart));
  },
};
