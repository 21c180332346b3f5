import type { Kubectl } from '@recording-request/k8s/lab/kubectl';
import type { Manifest } from '@recording-request/k8s/manifests';
import { SERVICES, type ServiceName } from '@recording-request/stack/service-plan';
import { until } from '@recording-request/testing/wait';
import { NAMESPACE } from './overlay.ts';
import { mainOf } from './processes.ts';

/** A pod of a service. */
export interface Pod {
  name: string;
  uid: string;
  address: string;
  ready: boolean;
  restarts: number;
}

/** An installation of the product in the cluster. */
export interface Product {
  kubectl: Kubectl;
  /** Runs kubectl in its namespace. */
  in(args: string[], timeoutMs?: number): Promise<string>;
  /** Returns the pods that are not terminating. */
  pods(service: ServiceName): Promise<Pod[]>;
  /** Waits until each service has its desired number of pods and all pods are ready. */
  settled(timeoutMs?: number): Promise<void>;
  /** Ends the main process of a pod with SIGKILL. */
  kill(pod: Pod): Promise<void>;
}

const MIGRATE_MS = 180_000;
const SETTLED_MS = 300_000;
const LOOK_MS = 500;
const GONE_MS = 300_000;
/** Longer than the interval at which an autoscaler acts. */
const SCALED_MS = 120_000;

/** The label of the objects that an operator applies before a migration (docs/operations.md). */
const STEP = 'app.kubernetes.io/component';

/** Installs the product: its Secrets, its migration if this version has one, then its services. Resolves when all are ready. */
export async function install(
  kubectl: Kubectl,
  secrets: Manifest[],
  objects: Manifest[],
  namespace = NAMESPACE,
): Promise<Product> {
  const product = productIn(kubectl, namespace);
  await kubectl.apply(objects.filter(({ kind }) => kind === 'Namespace'));
  await kubectl.apply(secrets);
  if (objects.some(({ kind }) => kind === 'Job')) await migrate(product, objects);
  await applyServices(product, objects);
  return product;
}

/**
 * Applies all objects except the migration. Resolves when each service has its desired pods, including the pods that
 * its autoscaler adds.
 */
export async function applyServices(product: Product, objects: Manifest[]): Promise<void> {
  await product.kubectl.apply(objects.filter(({ kind }) => kind !== 'Job'));
  const has = async (service: string, least: number) => {
    const count = await product.in(['get', `deployment/${service}`, '--output=jsonpath={.spec.replicas}']);
    return Number(count) >= least;
  };
  for (const { spec } of objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')) {
    const { scaleTargetRef, minReplicas } = spec;
    const what = `the autoscaler starts ${minReplicas} pods of ${scaleTargetRef.name}`;
    await until(what, () => has(scaleTargetRef.name, minReplicas), { limitMs: SCALED_MS, everyMs: LOOK_MS });
  }
  await product.settled();
}

/** Ends the services and the controllers that would restart them. Settings, Secrets and stored data stay. */
export async function endServices(product: Product): Promise<void> {
  await product.in(['delete', 'horizontalpodautoscalers,deployments,services', '--all', '--wait'], GONE_MS);
  const pods = `--selector=app.kubernetes.io/name in (${SERVICES.join(', ')})`;
  await product.in(['wait', '--for=delete', 'pod', pods, `--timeout=${GONE_MS / 1_000}s`], GONE_MS);
}

/**
 * Replaces the running objects, one Deployment after the other, because all at once would request more CPU than a node
 * may have. Resolves when no old pod serves any more. Old pods of media and transcription may still finish jobs.
 */
export async function replaceObjects(product: Product, objects: Manifest[]): Promise<void> {
  const left = new Set(['Namespace', 'Job', 'Deployment']);
  await product.kubectl.apply(objects.filter(({ kind }) => !left.has(kind)));
  for (const deployment of objects.filter(({ kind }) => kind === 'Deployment')) {
    await product.kubectl.apply([deployment]);
    await product.settled();
  }
  await leftBehind(product);
}

/** Resolves when no old pod serves any more. */
export async function leftBehind(product: Product): Promise<void> {
  await until('the old pods have ended', async () => !(await isOneLeaving(product)), {
    limitMs: GONE_MS,
    everyMs: LOOK_MS,
  });
}

const SERVING = ['gateway', 'projects', 'submissions', 'webhooks'];

async function isOneLeaving(product: Product): Promise<boolean> {
  const selector = `--selector=app.kubernetes.io/name in (${SERVING.join()})`;
  const { items } = JSON.parse(await product.in(['get', 'pods', selector, '--output=json']));
  return items.some(({ metadata }: Manifest) => metadata.deletionTimestamp !== undefined);
}

/** Restarts every Deployment, one after the other, because all at once would request too much CPU. */
export async function restartAll(product: Product): Promise<void> {
  for (const service of SERVICES) {
    await product.in(['rollout', 'restart', `deployment/${service}`]);
    await product.settled();
  }
}

/** Deletes installations. Resolves when all their objects are deleted. */
export async function removeNamespaces(kubectl: Kubectl, names: string[]): Promise<void> {
  await kubectl.run(['delete', 'namespace', ...names, '--ignore-not-found', '--wait'], GONE_MS);
}

/** Runs the migration again, as an operator does before each version. Resolves to its output. */
export async function migrate(product: Product, objects: Manifest[]): Promise<string> {
  await product.in(['delete', 'job', 'migrate', '--ignore-not-found', '--wait'], MIGRATE_MS);
  await product.kubectl.apply(objects.filter(({ metadata }) => metadata.labels?.[STEP] === 'migration'));
  await product.in(
    ['wait', '--for=condition=Complete', 'job/migrate', `--timeout=${MIGRATE_MS / 1000}s`],
    MIGRATE_MS + 10_000,
  );
  return await product.in(['logs', 'job/migrate']);
}

export function productIn(kubectl: Kubectl, namespace = NAMESPACE): Product {
  const inside = ['--namespace', namespace];
  const product: Product = {
    kubectl,
    in: (args, timeoutMs) => kubectl.run([...inside, ...args], timeoutMs),
    async pods(service) {
      const selector = `--selector=app.kubernetes.io/name=${service}`;
      const { items } = await kubectl.json([...inside, 'get', 'pods', selector]);
      return items.filter((each: Manifest) => !each.metadata.deletionTimestamp).map(podOf);
    },
    async settled(timeoutMs = SETTLED_MS) {
      await until('every service has its desired pods', () => isSettled(kubectl, inside), {
        limitMs: timeoutMs,
        everyMs: LOOK_MS,
      });
    },
    kill: async ({ uid }) => void process.kill(await mainOf(uid), 'SIGKILL'),
  };
  return product;
}

async function isSettled(kubectl: Kubectl, inside: string[]): Promise<boolean> {
  const { items } = await kubectl.json([...inside, 'get', 'deployments']);
  const names = new Set(items.map((each: Manifest) => each.metadata.name));
  return (
    SERVICES.every(name => names.has(name)) &&
    items.every(({ metadata, spec, status = {} }: Manifest) => {
      const { observedGeneration, replicas, updatedReplicas, readyReplicas } = status;
      const isSeen = observedGeneration === metadata.generation;
      return isSeen && [replicas, updatedReplicas, readyReplicas].every(count => (count ?? 0) === spec.replicas);
    })
  );
}

function podOf({ metadata, status }: Manifest): Pod {
  const [container] = status.containerStatuses ?? [];
  return {
    name: metadata.name,
    uid: metadata.uid!,
    address: status.podIP ?? '',
    ready: container?.ready ?? false,
    restarts: container?.restartCount ?? 0,
  };
}
