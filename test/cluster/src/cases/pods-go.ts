import type { Incident } from '@recording-request/fault-test/harness/gateway-client';
import { SERVICES, type ServiceName } from '@recording-request/stack/service-plan';
import { until } from '@recording-request/testing/wait';
import type { ClusterCase } from '../cluster-case.ts';
import type { ClusterHarness } from '../harness.ts';
import { comeByNginx } from '../product/behind-nginx.ts';
import { NAMESPACE } from '../product/overlay.ts';
import type { Product } from '../product/product.ts';
import { type WithoutFailures, whileContributing, whileWriting, withoutFailures } from '../requests.ts';

const EVICTED_MS = 120_000;

/** Evicts a pod through the API, which checks the disruption budget, as `kubectl drain` does. */
async function evict({ kubectl }: Product, name: string): Promise<void> {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: NAMESPACE } };
  const path = `/api/v1/namespaces/${NAMESPACE}/pods/${name}/eviction`;
  const once = () =>
    kubectl.run(['create', '--raw', path, '--filename=-'], undefined, JSON.stringify(eviction)).then(
      () => true,
      error => {
        // The budget does not permit another eviction yet.
        if (/disruption budget|TooManyRequests/.test((error as Error).message)) return false;
        throw error;
      },
    );
  await until(`the budget allows the eviction of ${name}`, once, { limitMs: EVICTED_MS, everyMs: 500 });
}

/** Runs `work` while contributors and an owner write, and others read. */
const underWrites = (
  harness: ClusterHarness,
  plan: Parameters<ClusterCase['run']>[1],
  work: () => Promise<void>,
  which?: WithoutFailures,
): Promise<void> =>
  withoutFailures(harness, () => whileContributing(harness, plan, () => whileWriting(harness, work)), which);

export const evictions: ClusterCase = {
  name: 'evictions',
  promise: 'the API evicts each pod in turn: no request fails, no data is lost or duplicated',
  async run(harness, plan) {
    const { product } = harness;
    const evictAll = async () => {
      for (const service of SERVICES)
        for (const { name } of await product.pods(service)) {
          await evict(product, name);
          await product.settled();
        }
    };
    await underWrites(harness, plan, evictAll);
  },
};

/**
 * Returns whether the request may fail. A read must not fail. A write may fail, because the client can safely repeat
 * it.
 */
const mayFail = ({ what }: Incident) => !what.startsWith('GET') && !what.startsWith('HEAD');

export const killedPods: ClusterCase = {
  name: 'killed-pods',
  promise:
    'a pod of each service is deleted by force: behind an edge that retries, no read fails, writes succeed or can be repeated safely, no data is lost or duplicated',
  async run(harness, plan) {
    const { product } = harness;
    await using _edge = await comeByNginx(harness);
    const deleteOne = async (service: ServiceName) => {
      const before = await product.pods(service);
      await product.in(['delete', 'pod', before[0]!.name, '--grace-period=0', '--force']);
      const isReplaced = async () => {
        const now = await product.pods(service);
        return now.length >= before.length && now.every(({ uid, ready }) => ready && uid !== before[0]!.uid);
      };
      await until(`another pod of ${service} is ready`, isReplaced, { limitMs: EVICTED_MS, everyMs: 500 });
    };
    const deleteOneOfEach = async () => {
      for (const service of SERVICES) await deleteOne(service);
    };
    await underWrites(harness, plan, deleteOneOfEach, { allowed: mayFail });
  },
};

export const killedProcesses: ClusterCase = {
  name: 'killed-processes',
  promise:
    'a process of each service ends by SIGKILL: behind an edge that retries, no read fails, writes succeed or can be repeated safely, no data is lost',
  async run(harness, plan) {
    const { product } = harness;
    await using _edge = await comeByNginx(harness);
    const killOne = async (service: ServiceName) => {
      const [first] = await product.pods(service);
      await product.kill(first!);
      const isBack = async () =>
        (await product.pods(service)).some(it => it.uid === first!.uid && it.restarts > first!.restarts && it.ready);
      await until(`${service} has restarted`, isBack, { limitMs: EVICTED_MS, everyMs: 500 });
    };
    const killOneOfEach = async () => {
      for (const service of SERVICES) await killOne(service);
    };
    await underWrites(harness, plan, killOneOfEach, { allowed: mayFail });
  },
};
