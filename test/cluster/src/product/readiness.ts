import type { Manifest } from '@recording-request/k8s/manifests';
import { SERVICES } from '@recording-request/stack/service-plan';
import type { Pod, Product } from './product.ts';

interface Probe {
  periodSeconds: number;
  timeoutSeconds: number;
  failureThreshold?: number;
}

/** Kubernetes' defaults of a probe. */
const FAILURES = 3;

/** Returns the longest time, in milliseconds, until the kubelet acts on a failing probe of a running pod of these objects. */
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

export const allPods = async (product: Product): Promise<Pod[]> =>
  (await Promise.all(SERVICES.map(service => product.pods(service)))).flat();

/** Returns a sentence for each pod of `before` that is not ready, has restarted, or was replaced. */
export function changedPods(before: Pod[], now: Pod[]): string[] {
  return before.flatMap(({ name, uid, restarts }) => {
    const found = now.find(each => each.uid === uid);
    if (!found) return [`${name} is gone`];
    if (found.restarts > restarts) return [`${name} restarted`];
    return found.ready ? [] : [`${name} is not ready`];
  });
}
