import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkedFaults } from './checks.ts';
import type { ManifestTools } from './install.ts';
import { KUBERNETES, parse } from './manifests.ts';
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
  const dir = await mkdtemp(join(tmpdir(), 'manifests-'));
  try {
    const file = join(dir, 'all.yaml');
    await writeFile(file, text);
    // Uses the schemas of kubectl-validate. Without this variable, it could use the schemas of a cluster to which this
    // machine is connected.
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
    // kubectl-validate did not run, so there is no result for the manifests.
    if (words === '' || (error as { killed?: boolean }).killed) throw error;
    return words;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
