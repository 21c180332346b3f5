import type { Manifest } from '@recording-request/k8s/manifests';
import { SERVICES } from '@recording-request/stack/service-plan';
import type { Pod, Product } from './product.ts';

interface Probe {
  periodSeconds: number;
  timeoutSeconds: number;
  failureThreshold?: number;
}

/** Of Kubernetes, where a probe does not say. */
const FAILURES = 3;

/** Returns how long it takes at most until the kubelet acts on a probe that fails, in milliseconds: of all that pods of these objects have while they run. */
export function noticedMs(objects: Manifest[]): number {
  const probes = objects
    .filter(({ kind }) => kind === 'Deployment')
    .flatMap(({ spec }): Probe[] => {
      const [{ readinessProbe, livenessProbe }] = spec.template.spec.containers;
      return [readinessProbe, livenessProbe];
    });
  const seconds = probes.map(
    ({ periodSeconds, timeoutSeconds, failureThreshold = FAILURES }) =>
      periodSeconds * failureThreshold + timeoutSeconds,
  );
  return Math.max(...seconds) * 1_000;
}

/** The pods of all services. */
export const allPods = async (product: Product): Promise<Pod[]> =>
  (await Promise.all(SERVICES.map(service => product.pods(service)))).flat();

/** Says of each pod of `before` that it is not ready, was started again, or is another one by now. */
export function changedPods(before: Pod[], now: Pod[]): string[] {
  return before.flatMap(({ name, uid, restarts }) => {
    const found = now.find(each => each.uid === uid);
    if (!found) return [`${name} is gone`];
    if (found.restarts > restarts) return [`${name} was started again`];
    return found.ready ? [] : [`${name} is not ready`];
  });
}
