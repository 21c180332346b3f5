import type { ClusterCase } from '../cluster-case.ts';
import { performDemo } from '../product/demo.ts';
import { migrate } from '../product/product.ts';

export const installCase: ClusterCase = {
  name: 'install',
  promise:
    'in a new installation, every step of the demo succeeds through the cluster’s own addresses, and clips land with all their results; a second migration changes nothing',
  async run(harness, { random, clips }) {
    await performDemo(harness);
    await harness.load(clips, random);
    const said = await migrate(harness.product, harness.objects);
    if (/is applied|: made/.test(said)) harness.violated(`a second migration made a change: ${said}`);
    for (const found of [/^topic \S+: is there, with \d+ partitions?$/m, /^bucket \S+: is there$/m])
      if (!found.test(said)) harness.violated(`the output of a second migration does not match ${found}: ${said}`);
  },
};
