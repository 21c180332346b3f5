import { setTimeout as delay } from 'node:timers/promises';
import { until } from '@recording-request/testing/wait';
import type { ClusterCase } from '../cluster-case.ts';
import type { ClusterHarness } from '../harness.ts';
import { whilePressing } from '../product/pressure.ts';
import { sharesOf } from '../product/shares.ts';
import { whileContributing, withoutFailures } from '../requests.ts';

type Plan = Parameters<ClusterCase['run']>[1];
type Scaled = 'projects' | 'submissions';

const SCALED: readonly Scaled[] = ['projects', 'submissions'];
const PODS_LEAST = 2;
const PODS_MOST = 4;
const STABILISATION_SECONDS = 30;
/** The time limit for scaling up: the load rises in steps, the autoscaler reacts, and a pod starts. */
const OUT_MS = 240_000;
/**
 * The time limit for scaling down: the stabilisation period after the load. It starts again if other load needs another
 * pod.
 */
const IN_MS = 180_000;
/** The time until a restarted service has metrics. */
const ACTIVE_SECONDS = 90;
/**
 * The time that callers need to find the last pod; they check for new pods every few seconds. README.md promises even
 * shares after 30 s.
 */
const FINDING_MS = 16_000;
const MEASURED_MS = 12_000;
const TOLERANCE = 0.2;
/**
 * The number of links in the project that is read. Such a read costs the service much, because it decrypts the links'
 * tokens.
 */
const LINKS = 200;

/** Limits the autoscaler of a service to `most` pods, with a fast scale-down; the rest stays as in the base. */
async function allow({ product }: ClusterHarness, service: Scaled, most: number): Promise<void> {
  const policies = [{ type: 'Percent', value: 100, periodSeconds: 15 }];
  const soon = { scaleDown: { stabilizationWindowSeconds: STABILISATION_SECONDS, policies } };
  const patch = JSON.stringify({ spec: { maxReplicas: most, behavior: most === PODS_LEAST ? null : soon } });
  await product.in(['patch', 'horizontalpodautoscaler', service, '--patch', patch]);
}

/** Resolves when the autoscaler has given a service this many ready pods. Returns the seconds that it took. */
async function secondsUntil({ product }: ClusterHarness, service: Scaled, count: number, limitMs: number) {
  const began = Date.now();
  const isThere = async () => {
    const pods = await product.pods(service);
    return pods.length === count && pods.every(({ ready }) => ready);
  };
  await until(`${service} has ${count} pods`, isThere, { limitMs, everyMs: 500 }).catch(async error => {
    const seen = ['get', 'horizontalpodautoscaler', service, '--output=jsonpath={.status}'];
    throw new Error(`${error.message}; its autoscaler reports ${await product.in(seen)}`, { cause: error });
  });
  return Math.round((Date.now() - began) / 1_000);
}

async function judgeShares({ product, noted, violated }: ClusterHarness, service: Scaled): Promise<void> {
  const pods = await product.pods(service);
  const even = 1 / pods.length;
  await delay(FINDING_MS);
  const shares = await sharesOf(pods, MEASURED_MS);
  const words = `${service}: the pods have, relative to an even share, ${shares.map(share => `${Math.round((share / even) * 100)} %`).join(', ')}`;
  if (shares.every(share => Math.abs(share - even) <= even * TOLERANCE)) noted(words);
  else violated(words);
}

/** Returns the path of a read that costs the service much more than it costs the gateway. */
async function expensiveRead({ owner, projects }: ClusterHarness, service: Scaled): Promise<string> {
  if (service === 'projects') return `/api/projects/${(await owner.create({ count: LINKS })).projectId}/links`;
  return `/api/projects/${(await projects()).plain.projectId}/submissions?limit=100`;
}

/** Reads until the autoscaler has scaled a service up, checks the shares, and waits until it has scaled down. */
async function outAndIn(harness: ClusterHarness, service: Scaled, plan: Plan): Promise<void> {
  const { product, noted } = harness;
  await using back = new AsyncDisposableStack();
  back.defer(() => allow(harness, service, PODS_LEAST));
  await allow(harness, service, PODS_MOST);
  const active = ['wait', '--for=condition=ScalingActive', `horizontalpodautoscaler/${service}`];
  await product.in([...active, `--timeout=${ACTIVE_SECONDS}s`], ACTIVE_SECONDS * 1_000 + 10_000);
  let out = 0;
  let rate = 0;
  const path = await expensiveRead(harness, service);
  const press = async () => {
    rate = await whilePressing(harness, path, async enough => {
      out = await secondsUntil(harness, service, PODS_MOST, OUT_MS);
      enough();
      await judgeShares(harness, service);
    });
  };
  await whileContributing(harness, plan, press);
  // From here on, owners read little, because the uploads alone keep three pods busy.
  const inAgain = await secondsUntil(harness, service, PODS_LEAST, IN_MS);
  noted(
    `${service}: ${PODS_MOST} pods ready after ${out} s, at ${rate} reads a second; ${PODS_LEAST} again after another ${inAgain} s`,
  );
}

export const scaleOut: ClusterCase = {
  name: 'scale-out',
  promise:
    'an autoscaler gives a service four pods under load and two after it: each pod gets its share of the calls within 30 s (± 20 %), and no request fails',
  async run(harness, plan) {
    await withoutFailures(harness, async () => {
      for (const service of SCALED) {
        const random = plan.random.fork(service);
        await outAndIn(harness, service, { ...plan, random });
      }
    });
  },
};
