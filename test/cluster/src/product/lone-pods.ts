import { type Manifest, podOf } from '@recording-request/k8s/manifests';
import { until } from '@recording-request/testing/wait';
import type { Product } from './product.ts';

/** A single pod from a workload's template, started once. */
export interface LonePod {
  name: string;
  /** The name of the Deployment, Job or CronJob. */
  workload: string;
  /** Variables that replace the variables of the workload or the settings. */
  env?: Record<string, string>;
  /** Volumes that replace the workload's, by name. */
  volumes?: Record<string, object>;
}

/** The end of a pod, or the reason why the pod does not start. */
export interface End {
  /** The exit code; undefined if the pod never ran. */
  status: number | undefined;
  /** The message in its Pod. */
  said: string;
}

const ENDED = { limitMs: 180_000, everyMs: 500 };

/** Creates the pod from `objects`, runs it to its end, and removes it. Rejects after some minutes. */
export async function runLonePod({ kubectl, in: inside }: Product, objects: Manifest[], pod: LonePod): Promise<End> {
  const made = loneManifest(objects, pod);
  await kubectl.apply([made]);
  try {
    const look = async () => endOf(JSON.parse(await inside(['get', 'pod', pod.name, '--output=json'])));
    return await until(`the pod ${pod.name} ends`, look, ENDED);
  } finally {
    await inside(['delete', 'pod', pod.name, '--grace-period=1', '--wait=false']);
  }
}

function loneManifest(objects: Manifest[], { name, workload, env = {}, volumes = {} }: LonePod): Manifest {
  const object = objects.find(
    each => each.metadata.name === workload && ['Deployment', 'Job', 'CronJob'].includes(each.kind),
  );
  if (!object) throw new Error(`The objects have no workload ${workload}.`);
  const { spec } = structuredClone(podOf(object)!);
  const [container] = spec.containers;
  const kept = (container.env as { name: string }[]).filter(variable => !(variable.name in env));
  container.env = [...kept, ...Object.entries(env).map(([variable, value]) => ({ name: variable, value }))];
  container.resources.requests = { cpu: '10m', memory: '64Mi' };
  spec.volumes = (spec.volumes as { name: string }[]).map(each => ({
    name: each.name,
    ...(volumes[each.name] ?? each),
  }));
  const metadata = { name, namespace: object.metadata.namespace! };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...spec, restartPolicy: 'Never' } };
}

function endOf({ status }: Manifest): End | undefined {
  const { terminated, waiting } = status.containerStatuses?.[0]?.state ?? {};
  if (terminated) return { status: terminated.exitCode, said: (terminated.message ?? '').trim() };
  return waiting?.reason === 'CreateContainerConfigError' ? { status: undefined, said: waiting.message } : undefined;
}
