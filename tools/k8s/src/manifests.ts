import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';

/** A rendered object; the fields other than `kind` and `metadata` depend on the kind. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    /** The unique id, which the cluster assigns. */
    uid?: string;
    generation?: number;
    deletionTimestamp?: string;
  };
  // biome-ignore lint/suspicious/noExplicitAny: kubectl-validate checks the shapes.
  [field: string]: any;
}

/** The oldest supported Kubernetes. Since this version, `preStop.sleep` is on by default. */
export const KUBERNETES = '1.30';
const LIMIT_MS = 60_000;
const OUTPUT_BYTES = 16 * 1024 * 1024;
const runFile = promisify(execFile);

/** Renders a folder with kustomize to YAML. Rejects with kustomize's message. */
export async function render(tools: { kustomize: string }, folder: string, options: string[] = []): Promise<string> {
  const args = ['build', ...options, folder];
  const { stdout } = await runFile(tools.kustomize, args, { timeout: LIMIT_MS, maxBuffer: OUTPUT_BYTES });
  return stdout;
}

/** Parses YAML into objects. Throws at the first syntax error. */
export function parse(text: string): Manifest[] {
  return parseAllDocuments(text).map(document => {
    if (document.errors[0]) throw document.errors[0];
    return document.toJS() as Manifest;
  });
}

/** A pod in the form in which an object creates it. */
export interface PodTemplate {
  metadata?: { labels?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: kubectl-validate checks the shape.
  spec: any;
}

/** Returns the pod that an object is or creates; undefined if it creates none. */
export function podOf({ kind, metadata, spec }: Manifest): PodTemplate | undefined {
  if (kind === 'Pod') return { metadata, spec };
  if (kind === 'CronJob') return spec.jobTemplate.spec.template;
  return ['Deployment', 'StatefulSet', 'DaemonSet', 'Job'].includes(kind) ? spec.template : undefined;
}
