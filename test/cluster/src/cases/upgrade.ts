import type { ClusterCase } from '../cluster-case.ts';
import { migrate, replaceObjects } from '../product/product.ts';
import { whileTransferring } from '../product/transfers.ts';
import { versionSteps } from '../product/version-steps.ts';
import { whileContributing, withoutFailures } from '../requests.ts';

/** Requests that may fail through a process of that version: what it does wrong is not mended any more. Most runs see none. */
const FAILED_MAX = 10;

export const upgrade: ClusterCase = {
  name: 'upgrade',
  promise:
    'the version before takes the place of this one, and this one its place again: no request fails but through a process of that version, and an upload and a download that run go on',
  async run(harness, plan) {
    const { product, noted, overlay, previous } = harness;
    if (!previous) throw new Error('the version before is not here');
    const steps = await versionSteps(overlay, previous);
    const random = plan.random.fork('transfers');
    let failed = 0;
    const its = { from: Number.POSITIVE_INFINITY, to: Number.POSITIVE_INFINITY };
    const replace = async () => {
      for (const { what, objects, isBefore, migrates } of steps) {
        if (migrates) await migrate(product, objects);
        const began = Date.now();
        if (isBefore) its.from = began;
        await replaceObjects(product, objects);
        if (migrates) its.to = Date.now();
        noted(`${what}: in place after ${Math.round((Date.now() - began) / 1000)} s`);
      }
    };
    await withoutFailures(
      harness,
      () => whileTransferring(harness, random, () => whileContributing(harness, plan, replace)),
      ({ at }) => at.getTime() > its.from && at.getTime() < its.to && ++failed <= FAILED_MAX,
    );
  },
};
