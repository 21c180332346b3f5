import { copyFile, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cacheRoot, installOnce } from '@recording-request/stack/install/cache';
import type { InstallContext } from '@recording-request/stack/install/context';
import { onPath } from '@recording-request/stack/install/find';
import { run } from '@recording-request/stack/install/run';
import { STRIMZI, writeStrimziResources } from './strimzi.ts';

/** The Go modules that define the manifests' custom resources, and the folder or file of the definitions. */
const MODULES = [
  { module: 'sigs.k8s.io/gateway-api', version: 'v1.4.1', at: 'config/crd/standard' },
  { module: 'github.com/cert-manager/cert-manager', version: 'v1.21.2', at: 'deploy/crds' },
  { module: 'github.com/kedacore/keda/v2', version: 'v2.21.0', at: 'config/crd/bases' },
  { module: 'github.com/external-secrets/external-secrets', version: 'v0.20.4', at: 'config/crds/bases' },
  { module: 'github.com/mongodb/mongodb-kubernetes-operator', version: 'v0.13.0', at: 'config/crd/bases' },
  {
    module: 'github.com/cilium/cilium',
    version: 'v1.18.4',
    at: 'pkg/k8s/apis/cilium.io/client/crds/v2/ciliumnetworkpolicies.yaml',
  },
  { module: 'github.com/rook/rook', version: 'v1.17.8', at: 'deploy/examples/crds.yaml' },
];
const DOWNLOAD_MS = 10 * 60_000;

/**
 * Returns a folder with the CustomResourceDefinitions, from the cache or downloaded once per machine. Strimzi's need Java
 * and Maven. Rejects with a sentence that names the missing program.
 */
export async function ensureCustomResources(
  { env, log, signal }: InstallContext,
  { strimzi = true }: { strimzi?: boolean } = {},
): Promise<string> {
  return await installOnce({
    root: cacheRoot(env),
    name: `custom-resources-${[...MODULES.map(({ version }) => version), ...(strimzi ? [STRIMZI] : [])].join('-')}`,
    log,
    signal,
    async fill(into) {
      if (!(await onPath('go', env)))
        throw new Error('the schemas of custom resources come as Go modules, and there is no go on PATH: install Go.');
      for (const { module, version, at } of MODULES) {
        const what = `downloading ${module}`;
        const found = await run('go', ['mod', 'download', '-json', `${module}@${version}`], {
          ...{ what, log, signal, env },
          timeoutMs: DOWNLOAD_MS,
        });
        const from = join((JSON.parse(found) as { Dir: string }).Dir, at);
        const files = from.endsWith('.yaml') ? [from] : (await readdir(from)).map(file => join(from, file));
        for (const file of files) if (file.endsWith('.yaml')) await copyFile(file, join(into, basename(file)));
      }
      if (strimzi) await writeStrimziResources(into, { env, log, signal });
    },
  });
}
