import type { InstallContext } from '@recording-request/stack/install/context';
import { ensureGoTool, type GoTool } from '@recording-request/stack/install/go-tool';
import { ensureCustomResources } from './custom-resources.ts';
import { ensurePodSecurity } from './pod-security.ts';

const KUSTOMIZE: GoTool = {
  command: 'kustomize',
  module: 'sigs.k8s.io/kustomize/kustomize/v5',
  version: 'v5.7.1',
  variable: 'KUSTOMIZE_BIN',
  takes: 'a minute',
};
const KUBECTL_VALIDATE: GoTool = {
  command: 'kubectl-validate',
  module: 'sigs.k8s.io/kubectl-validate',
  version: 'v0.0.4',
  variable: 'KUBECTL_VALIDATE_BIN',
  takes: 'two to ten minutes',
};

const HELM: GoTool = {
  command: 'helm',
  module: 'helm.sh/helm/v3/cmd/helm',
  version: 'v3.22.0',
  variable: 'HELM_BIN',
  takes: 'two to five minutes',
};

export const ensureHelm = (context: InstallContext): Promise<string> => ensureGoTool(HELM, context);

export const ensureKustomize = (context: InstallContext): Promise<string> => ensureGoTool(KUSTOMIZE, context);

/** The paths of the programs that check the manifests. */
export interface ManifestTools {
  kustomize: string;
  kubectlValidate: string;
  /** A folder with the definitions of custom resources. */
  customResources: string;
  /** The program that checks pods against a Pod Security Standard. */
  podSecurity: string;
}

/**
 * Finds each program by its variable, on PATH or in the cache, or builds it from its Go module, once per machine.
 * Rejects with a sentence that names the missing program.
 */
export async function ensureManifestTools(
  context: InstallContext,
  wanted: { strimzi?: boolean } = {},
): Promise<ManifestTools> {
  // Installs them in sequence, because two builds at once would only compete for the processor.
  const kustomize = await ensureKustomize(context);
  const kubectlValidate = await ensureGoTool(KUBECTL_VALIDATE, context);
  const podSecurity = await ensurePodSecurity(context);
  return { kustomize, kubectlValidate, podSecurity, customResources: await ensureCustomResources(context, wanted) };
}
