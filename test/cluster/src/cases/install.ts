import type { ClusterCase } from '../cluster-case.ts';
import { performDemo } from '../product/demo.ts';
import { migrate } from '../product/product.ts';

export const installCase: ClusterCase = {
  name: 'install',
  promise:
    'at an installation from nothing every step of the demo holds through the cluster’s own addresses, and clips land with all that follows from them; a second migration changes nothing',
  async run(harness, { random, clips }) {
    await performDemo(harness);
    await harness.load(clips, random);
    const said = await migrate(harness.product, harness.objects);
    if (/is applied|: made/.test(said))
      harness.violated(`a migration that ran a second time changed something: ${said}`);
    for (const found of [/^topic \S+: is there, with \d+ partitions?$/m, /^bucket \S+: is there$/m])
      if (!found.test(said)) harness.violated(`a migration that ran a second time does not say ${found}: ${said}`);
  },
};
