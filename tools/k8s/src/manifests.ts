import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { ManifestTools } from './install.ts';

/** A rendered object; what is below `kind` and `metadata` depends on the kind. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    /** Of one that a cluster has. */
    uid?: string;
    generation?: number;
    deletionTimestamp?: string;
  };
  // biome-ignore lint/suspicious/noExplicitAny: kubectl-validate knows the shapes, this file only passes them through.
  [field: string]: any;
}

/** The oldest Kubernetes that the manifests are meant for: `preStop.sleep` is on by default since. */
export const KUBERNETES = '1.30';
const LIMIT_MS = 60_000;
const OUTPUT_BYTES = 16 * 1024 * 1024;
const runFile = promisify(execFile);

/** Renders a folder with kustomize to YAML. Rejects with kustomize's message. */
export async function render(tools: Pick<ManifestTools, 'kustomize'>, folder: string): Promise<string> {
  const { stdout } = await runFile(tools.kustomize, ['build', folder], { timeout: LIMIT_MS, maxBuffer: OUTPUT_BYTES });
  return stdout;
}

/** Parses YAML into objects. Throws at the first syntax error. */
export function parse(text: string): Manifest[] {
  return parseAllDocuments(text).map(document => {
    if (document.errors[0]) throw document.errors[0];
    return document.toJS() as Manifest;
  });
}

/** Returns kubectl-validate's messages about rendered YAML; empty when it is valid. */
export async function faultsOf(tools: ManifestTools, text: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'manifests-'));
  try {
    const file = join(dir, 'all.yaml');
    await writeFile(file, text);
    // Its own schemas, never those of a cluster that this machine happens to be connected to.
    const env = { ...process.env, KUBECONFIG: join(dir, 'none') };
    await runFile(tools.kubectlValidate, ['--version', KUBERNETES, '--local-crds', tools.customResources, file], {
      env,
      timeout: LIMIT_MS,
      maxBuffer: OUTPUT_BYTES,
    });
    return '';
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    const words = `${stdout}${stderr}`
      .split('\n')
      .filter(line => !line.endsWith('...OK'))
      .join('\n')
      .trim();
    // It could not run at all, which says nothing about the manifests.
    if (words === '' || (error as { killed?: boolean }).killed) throw error;
    return words;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
