import type { ClusterCase } from '../cluster-case.ts';
import { migrate, replaceObjects } from '../product/product.ts';
import { whileTransferring } from '../product/transfers.ts';
import { versionSteps } from '../product/version-steps.ts';
import { whileContributing, withoutFailures } from '../requests.ts';

export const upgrade: ClusterCase = {
  name: 'upgrade',
  promise:
    'the version before takes the place of this one, and this one its place again: no request fails, and an upload and a download that run go on',
  async run(harness, plan) {
    const { product, noted, overlay, previous } = harness;
    if (!previous) throw new Error('the version before is not here');
    const steps = await versionSteps(overlay, previous);
    const random = plan.random.fork('transfers');
    const replace = async () => {
      for (const { what, objects, migrates } of steps) {
        if (migrates) await migrate(product, objects);
        const began = Date.now();
        await replaceObjects(product, objects);
        noted(`${what}: in place after ${Math.round((Date.now() - began) / 1000)} s`);
      }
    };
    await withoutFailures(harness, () =>
      whileContributing(harness, plan, () => whileTransferring(harness, random, replace)),
    );
  },
};
