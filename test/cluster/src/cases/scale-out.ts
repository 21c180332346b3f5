import type { ServiceName } from '@recording-request/stack/service-plan';
import { until } from '@recording-request/testing/wait';
import type { ClusterCase } from '../cluster-case.ts';
import type { Product } from '../product/product.ts';
import { sharesOf } from '../product/shares.ts';
import { whileContributing, withoutFailures } from '../requests.ts';

const SCALED: readonly ServiceName[] = ['projects', 'submissions'];
const FEW = 2;
const MANY = 4;
const READY_MS = 120_000;
/** How long after a pod is ready it may take until it has its share. */
const SHARE_MS = 30_000;
const MEASURED_MS = 20_000;
const TOLERANCE = 0.2;

/** By its autoscaler, which then wants exactly so many. */
async function scale(product: Product, service: ServiceName, count: number): Promise<void> {
  const spec = JSON.stringify({ spec: { minReplicas: count, maxReplicas: count } });
  await product.in(['patch', 'horizontalpodautoscaler', service, '--patch', spec]);
  const isThere = async () => {
    const pods = await product.pods(service);
    return pods.length === count && pods.every(({ ready }) => ready);
  };
  await until(`${service} has ${count} pods`, isThere, { limitMs: READY_MS, everyMs: 500 });
}

export const scaleOut: ClusterCase = {
  name: 'scale-out',
  promise:
    'two pods become four and two again: each gets its share of the calls within 30 s (± 20 %), and no request fails',
  async run(harness, plan) {
    const { product, noted, violated } = harness;
    const outAndIn = async () => {
      for (const service of SCALED) await scale(product, service, MANY);
      const began = Date.now();
      for (const service of SCALED) {
        const pods = await product.pods(service);
        const even = 1 / pods.length;
        let shares: number[] = [];
        const isEven = async () => {
          shares = await sharesOf(pods, MEASURED_MS);
          return shares.every(share => Math.abs(share - even) <= even * TOLERANCE);
        };
        const limitMs = Math.max(1, began + SHARE_MS - Date.now());
        const words = () => shares.map(share => `${Math.round((share / even) * 100)} %`).join(', ');
        await until('each pod has its share', isEven, { limitMs }).then(
          () => noted(`${service}: of an even share each pod has ${words()}`),
          () => violated(`${service}: of an even share the pods have ${words()}`),
        );
      }
      for (const service of SCALED) await scale(product, service, FEW);
    };
    await withoutFailures(harness, () => whileContributing(harness, plan, outAndIn));
  },
};
