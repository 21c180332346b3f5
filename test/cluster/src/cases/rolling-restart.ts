import { SERVICES } from '@recording-request/stack/service-plan';
import type { ClusterCase } from '../cluster-case.ts';
import { restartAll } from '../product/product.ts';
import { whileTransferring } from '../product/transfers.ts';
import { whileContributing, withoutFailures } from '../requests.ts';

/** A line of the log whose level is error or worse. */
const ERROR = /"level":(?:50|60|"error"|"fatal")/;

export const rollingRestart: ClusterCase = {
  name: 'rolling-restart',
  promise:
    'a rolling restart of everything fails no request and loses nothing, and an upload and a download that run go on',
  async run(harness, plan) {
    const { product } = harness;
    const random = plan.random.fork('transfers');
    const restart = () => whileContributing(harness, plan, () => restartAll(product));
    await withoutFailures(harness, () => whileTransferring(harness, random, restart));
    for (const service of SERVICES) {
      const logs = await product.in(['logs', `deployment/${service}`, '--all-pods=true', '--tail=-1']);
      const rebalances = logs.split('\n').filter(line => ERROR.test(line) && /rebalanc/i.test(line));
      if (rebalances.length > 0)
        harness.violated(`${service} logs ${rebalances.length} times as an error that its group rebalances`);
    }
  },
};
