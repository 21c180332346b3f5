import type { ClusterCase } from '../cluster-case.ts';
import { NAMESPACE } from '../product/overlay.ts';
import { errorsOfPods } from '../product/pod-logs.ts';
import { restartAll } from '../product/product.ts';
import { whileTransferring } from '../product/transfers.ts';
import { whileContributing, withoutFailures } from '../requests.ts';

export const rollingRestart: ClusterCase = {
  name: 'rolling-restart',
  promise:
    'a rolling restart of everything fails no request and loses nothing, and an upload and a download that run go on',
  async run(harness, plan) {
    const { product, place } = harness;
    const began = new Date();
    const random = plan.random.fork('transfers');
    const restart = () => whileContributing(harness, plan, () => restartAll(product));
    await withoutFailures(harness, () => whileTransferring(harness, random, restart));
    // The pods with the most rebalances no longer exist.
    for (const [pod, { length }] of await errorsOfPods(place, NAMESPACE, /rebalanc/i, began))
      harness.violated(`${pod} logs ${length} times as an error that its group rebalances`);
  },
};
