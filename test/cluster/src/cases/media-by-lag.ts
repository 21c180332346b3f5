import { join } from 'node:path';
import { KEDA, startKeda } from '@recording-request/k8s/lab/keda';
import type { Manifest } from '@recording-request/k8s/manifests';
import { BASE } from '@recording-request/k8s/repository';
import { until } from '@recording-request/testing/wait';
import type { ClusterCase } from '../cluster-case.ts';
import type { ClusterHarness } from '../harness.ts';
import { limitMedia, longTakes, openJobs, openSubmissions, QUICKLY, rateOf, told } from '../product/media-rate.ts';

const PROCESSORS = 0.25;
const MANY = 4;
const LEAST = 0.85;
/** The number of clips for each pod. */
const CLIPS = 24;
const COMPONENTS = [join(BASE, '../scaling/keda')];
/** A short delay; the default of an autoscaler is five minutes. */
const SOON = { horizontalPodAutoscalerConfig: { behavior: { scaleDown: { stabilizationWindowSeconds: 10 } } } };
const SCALED = { limitMs: 120_000, everyMs: 500 };
const READY_MS = 60_000;
const AUTOSCALER = 'horizontalpodautoscaler/keda-hpa-media';

/** The three shipped objects, with other pod counts for media (at least one) and a faster scale-down. */
async function scaledObjects({ overlay }: ClusterHarness, most: number): Promise<Manifest[]> {
  const objects = await overlay(`overlay-keda-${most}`, { components: COMPONENTS });
  return objects
    .filter(({ kind }) => kind === 'ScaledObject')
    .map(object =>
      object.metadata.name === 'media'
        ? { ...object, spec: { ...object.spec, minReplicaCount: 1, maxReplicaCount: most, advanced: SOON } }
        : object,
    );
}

/** Applies the objects, and waits until KEDA has accepted them and media's autoscaler has read the lag. */
async function scaleByLag(harness: ClusterHarness, most: number): Promise<void> {
  const { product } = harness;
  const objects = await scaledObjects(harness, most);
  await product.kubectl.apply(objects);
  const wait = (condition: string, ...what: string[]) =>
    product.in(['wait', `--for=${condition}`, ...what, `--timeout=${READY_MS / 1_000}s`], READY_MS + 10_000);
  await wait('condition=Ready', ...objects.map(({ metadata }) => `scaledobject/${metadata.name}`));
  await wait(`jsonpath={.spec.maxReplicas}=${most}`, AUTOSCALER);
  await wait('condition=ScalingActive', AUTOSCALER);
}

/** Resolves when media has this many ready pods. Returns the seconds that it took. */
async function secondsUntil({ product }: ClusterHarness, count: number): Promise<number> {
  const began = Date.now();
  const isThere = async () => {
    const pods = await product.pods('media');
    return pods.length === count && pods.every(({ ready }) => ready);
  };
  await until(`media has ${count} pods`, isThere, SCALED);
  return Math.round((Date.now() - began) / 1_000);
}

export const mediaByLag: ClusterCase = {
  name: 'media-by-lag',
  promise: `KEDA scales media from one pod to ${MANY} while jobs wait, each with ${PROCESSORS} of a processor: at least ${LEAST} of ${MANY} times the clips; then it scales back to one, and no job is lost or done twice`,
  needs: KEDA,
  async run(harness, { random }) {
    const { product, place, built, noted, violated } = harness;
    await using cleaning = new AsyncDisposableStack();
    const connection = await openSubmissions(harness, cleaning);
    // Disposed last, after the autoscaler.
    cleaning.use(await limitMedia(harness, PROCESSORS));
    await product.settled();
    cleaning.use(await startKeda(product.kubectl, place, built[KEDA.name]!));
    // Runs before KEDA ends, because KEDA must remove its finalizers.
    cleaning.defer(async () => void (await product.in(['delete', 'scaledobjects', '--all'])));
    const jobs = cleaning.use(await openJobs(harness));
    const before = await jobs.count();
    const takes = await longTakes();
    const handIn = (name: string, count: number) => () => harness.load(count, random.fork(name), { ...QUICKLY, takes });

    await scaleByLag(harness, 1);
    await secondsUntil(harness, 1);
    const one = await rateOf(harness, connection, { clips: CLIPS, load: handIn('one', CLIPS) });
    await scaleByLag(harness, MANY);
    const count = CLIPS * MANY;
    let out = 0;
    const begun = async () => {
      out = await secondsUntil(harness, MANY);
    };
    const many = await rateOf(harness, connection, { clips: count, load: handIn('many', count), begun });
    const back = await secondsUntil(harness, 1);

    noted(`${MANY} pods ${out} s after the first job, one ${back} s after the last`);
    const share = many.clipsPerMinute / (one.clipsPerMinute * MANY);
    noted(`one pod: ${told(one, PROCESSORS)}`);
    noted(`${MANY} pods: ${told(many, MANY * PROCESSORS)}; ${share.toFixed(2)} of linear`);
    if (share < LEAST) violated(`${MANY} pods processed ${share.toFixed(2)} of the linear rate, less than ${LEAST}`);
    const after = await jobs.count();
    const [asked, made] = [after.asked - before.asked, after.made - before.made];
    noted(`${CLIPS + count} clips: ${asked} jobs requested, ${made} done`);
    if (made !== BigInt(CLIPS + count)) violated(`of ${CLIPS + count} jobs, ${made} were done`);
  },
};
