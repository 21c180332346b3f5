import { join } from 'node:path';
import { cacheRoot, installOnce } from '@recording-request/stack/install/cache';
import type { InstallContext } from '@recording-request/stack/install/ensure';
import { namedBy, onPath } from '@recording-request/stack/install/find';
import { run } from '@recording-request/stack/install/run';

interface GoTool {
  command: string;
  module: string;
  version: string;
  /** Names an executable to use instead. */
  variable: string;
}

const KUSTOMIZE: GoTool = {
  command: 'kustomize',
  module: 'sigs.k8s.io/kustomize/kustomize/v5',
  version: 'v5.7.1',
  variable: 'KUSTOMIZE_BIN',
};
const KUBECTL_VALIDATE: GoTool = {
  command: 'kubectl-validate',
  module: 'sigs.k8s.io/kubectl-validate',
  version: 'v0.0.4',
  variable: 'KUBECTL_VALIDATE_BIN',
};
const LIMIT_MS = 45 * 60_000;

/** Paths of the two programs that the manifests are judged with. */
export interface ManifestTools {
  kustomize: string;
  kubectlValidate: string;
}

/** Each from its variable, PATH, the cache, or built from its Go module, once a machine. Rejects with a sentence that says what is missing. */
export async function ensureManifestTools(context: InstallContext): Promise<ManifestTools> {
  // One after the other: two builds at once would only fight over the processor.
  const kustomize = await ensureGoTool(KUSTOMIZE, context);
  return { kustomize, kubectlValidate: await ensureGoTool(KUBECTL_VALIDATE, context) };
}

async function ensureGoTool(tool: GoTool, { env, log, signal }: InstallContext): Promise<string> {
  const { command, module, version, variable } = tool;
  const own = (await namedBy(variable, env)) ?? (await onPath(command, env));
  if (own) return own;
  const dir = await installOnce({
    root: cacheRoot(env),
    name: `${command}-${version}`,
    log,
    signal,
    fill: async into => {
      if (!(await onPath('go', env)))
        throw new Error(
          `${command} is built with Go, and there is no go on PATH: install Go, or set ${variable} to its path.`,
        );
      log(`building ${command} (one to four minutes, once a machine) …`);
      const began = Date.now();
      await run('nice', ['-n', '10', 'go', 'install', '-v', `${module}@${version}`], {
        what: `building ${command}`,
        log,
        signal,
        // A cross-compiling go refuses GOBIN; -buildvcs=false because a module from the proxy has no repository.
        env: {
          ...env,
          GOBIN: into,
          GOOS: undefined,
          GOARCH: undefined,
          GOFLAGS: `${env.GOFLAGS ?? ''} -buildvcs=false`.trim(),
        },
        timeoutMs: LIMIT_MS,
        progress: (lines, last) => `${lines} packages so far${last ? `, now ${last.slice(0, 60)}` : ''}`,
      });
      log(`${command} is built (${Math.round((Date.now() - began) / 1000)} s)`);
    },
  });
  return join(dir, command);
}
