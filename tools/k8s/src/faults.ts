import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkedFaults } from './checks.ts';
import type { ManifestTools } from './install.ts';
import { KUBERNETES, type Manifest, parse } from './manifests.ts';
import { refusedPods } from './pod-security.ts';

const LIMIT_MS = 60_000;
const OUTPUT_BYTES = 16 * 1024 * 1024;
const runFile = promisify(execFile);

/**
 * Returns the faults of rendered YAML, one per line. If the schemas find faults, returns only these; otherwise, returns
 * the faults that the standard `restricted` and the checks find.
 */
export async function faultsOf(tools: ManifestTools, text: string): Promise<string> {
  const unknown = await schemaFaults(tools, text);
  if (unknown !== '') return unknown;
  const objects = parse(text);
  return [...(await refusedPods(tools.podSecurity, objects)), ...checkedFaults(objects)].join('\n');
}

/** Returns kubectl-validate's messages; empty when there are none. */
async function schemaFaults(tools: ManifestTools, text: string): Promise<string> {
  const { isValid, stdout, stderr } = await validate(tools, text);
  if (isValid) return '';
  const lines = `${stdout}${stderr}`.split('\n').filter(line => !line.endsWith('...OK'));
  return lines.join('\n').trim();
}

/** The result of kubectl-validate for one object, in the form of Kubernetes' Status. */
export interface SchemaStatus {
  status: 'Success' | 'Failure';
  message?: string;
  details?: { causes?: { message: string; field?: string }[] };
}

/** Returns kubectl-validate's result for each object, in their order. */
export async function schemaStatuses(tools: ManifestTools, objects: Manifest[]): Promise<SchemaStatus[]> {
  const text = objects.map(object => JSON.stringify(object)).join('\n---\n');
  const { stdout } = await validate(tools, text, '--output', 'json');
  const [statuses = []] = Object.values(JSON.parse(stdout) as Record<string, SchemaStatus[]>);
  return statuses;
}

async function validate(
  tools: ManifestTools,
  text: string,
  ...options: string[]
): Promise<{ isValid: boolean; stdout: string; stderr: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'manifests-'));
  try {
    const file = join(dir, 'all.yaml');
    await writeFile(file, text);
    // Uses the schemas of kubectl-validate. Without this variable, it could use the schemas of a cluster to which this
    // machine is connected.
    const env = { ...process.env, KUBECONFIG: join(dir, 'none') };
    const args = [...options, '--version', KUBERNETES, '--local-crds', tools.customResources, file];
    const output = await runFile(tools.kubectlValidate, args, { env, timeout: LIMIT_MS, maxBuffer: OUTPUT_BYTES });
    return { isValid: true, ...output };
  } catch (error) {
    const { stdout = '', stderr = '', killed } = error as { stdout?: string; stderr?: string; killed?: boolean };
    // kubectl-validate did not run, so there is no result for the manifests.
    if (`${stdout}${stderr}`.trim() === '' || killed) throw error;
    return { isValid: false, stdout, stderr };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
