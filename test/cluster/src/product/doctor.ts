import type { Manifest } from '@recording-request/k8s/manifests';
import { until } from '@recording-request/testing/wait';
import type { Product } from './product.ts';

const KINDS = ['ConfigMap', 'ServiceAccount', 'NetworkPolicy', 'Job'];
const ENDS = { limitMs: 300_000, everyMs: 1_000 };

/** The end of a Job `doctor`. */
export interface Diagnosis {
  succeeded: boolean;
  /** The report of each workload, by its name. */
  reports: Record<string, string>;
}

/** Applies the Job `doctor` of rendered objects, as its component describes, and waits for its end. Removes the Job. */
export async function diagnose(product: Product, objects: Manifest[]): Promise<Diagnosis> {
  await product.kubectl.apply(
    objects.filter(({ kind, metadata }) => KINDS.includes(kind) && metadata.name !== 'migrate'),
  );
  let ended: string | undefined;
  const hasEnded = async () => {
    const { status }: Manifest = JSON.parse(await product.in(['get', 'job/doctor', '--output=json']));
    ended = status.conditions?.find(({ type }: { type: string }) => type === 'Complete' || type === 'Failed')?.type;
    return ended !== undefined;
  };
  await until('the Job doctor has ended', hasEnded, ENDS);
  const job = objects.find(({ kind, metadata }) => kind === 'Job' && metadata.name === 'doctor')!;
  const reports: Record<string, string> = {};
  for (const { name } of job.spec.template.spec.containers)
    reports[name] = await product.in(['logs', 'job/doctor', `--container=${name}`]);
  await product.in(['delete', 'job/doctor', '--wait']);
  return { succeeded: ended === 'Complete', reports };
}
