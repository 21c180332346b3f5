import type { ClusterCase } from '../cluster-case.ts';
import { migrate } from '../product/product.ts';

export const installCase: ClusterCase = {
  name: 'install',
  promise:
    'an installation from nothing takes clips and makes all that follows from them; a second migration changes nothing',
  async run(harness, { random, clips }) {
    await harness.load(clips, random);
    const said = await migrate(harness.product, harness.objects);
    if (/is applied/.test(said)) harness.violated(`a migration that ran a second time applied something: ${said}`);
  },
};
