import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheRoot, installOnce } from '@recording-request/stack/install/cache';
import type { InstallContext } from '@recording-request/stack/install/context';
import { onPath } from '@recording-request/stack/install/find';
import { run } from '@recording-request/stack/install/run';

/** The Go modules that have the definitions of resources which the manifests use beside Kubernetes' own, and where they have them. */
const MODULES = [
  { module: 'sigs.k8s.io/gateway-api', version: 'v1.4.1', folder: 'config/crd/standard' },
  { module: 'github.com/cert-manager/cert-manager', version: 'v1.21.2', folder: 'deploy/crds' },
  { module: 'github.com/kedacore/keda/v2', version: 'v2.21.0', folder: 'config/crd/bases' },
];
const DOWNLOAD_MS = 10 * 60_000;

/** Returns a folder with the CustomResourceDefinitions, from the cache, or downloaded once per machine. Rejects with a sentence that says what is missing. */
export async function ensureCustomResources({ env, log, signal }: InstallContext): Promise<string> {
  return await installOnce({
    root: cacheRoot(env),
    name: `custom-resources-${MODULES.map(({ version }) => version).join('-')}`,
    log,
    signal,
    async fill(into) {
      if (!(await onPath('go', env)))
        throw new Error('the schemas of custom resources come as Go modules, and there is no go on PATH: install Go.');
      for (const { module, version, folder } of MODULES) {
        const what = `downloading ${module}`;
        const found = await run('go', ['mod', 'download', '-json', `${module}@${version}`], {
          ...{ what, log, signal, env },
          timeoutMs: DOWNLOAD_MS,
        });
        const from = join((JSON.parse(found) as { Dir: string }).Dir, folder);
        for (const file of await readdir(from))
          if (file.endsWith('.yaml')) await copyFile(join(from, file), join(into, file));
      }
    },
  });
}
