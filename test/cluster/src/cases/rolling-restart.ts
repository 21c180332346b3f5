import type { ClusterCase } from '../cluster-case.ts';
import { NAMESPACE } from '../product/overlay.ts';
import { errorsOfPods } from '../product/pod-logs.ts';
import { restartAll } from '../product/product.ts';
import { whileTransferring } from '../product/transfers.ts';
import { whileContributing, withoutFailures } from '../requests.ts';

export const rollingRestart: ClusterCase = {
  name: 'rolling-restart',
  promise:
    'a rolling restart of all services fails no request and loses no data; a running upload and download continue',
  async run(harness, plan) {
    const { product, place } = harness;
    const began = new Date();
    const random = plan.random.fork('transfers');
    const restart = () => whileContributing(harness, plan, () => restartAll(product));
    await withoutFailures(harness, () => whileTransferring(harness, random, restart));
    // Reads the logs of deleted pods too, because the pods that saw the most rebalances no longer exist.
    for (const [pod, { length }] of await errorsOfPods(place, NAMESPACE, /rebalanc/i, began))
      harness.violated(`${pod} logs ${length} rebalances of its group as errors`);
  },
};
