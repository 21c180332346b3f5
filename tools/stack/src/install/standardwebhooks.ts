import { cacheRoot, installOnce } from './cache.ts';
import type { InstallContext } from './context.ts';
import { ensurePython, pipInstall } from './pip.ts';

const VERSION = '1.1.0';

/** The command that runs a Python program that imports `standardwebhooks`. */
export interface StandardWebhooksInstall {
  command: string;
  env: Record<string, string>;
}

/** Finds or installs the Python library that verifies webhooks, for tests only (the cache, the registry). */
export async function ensureStandardWebhooks(context: InstallContext): Promise<StandardWebhooksInstall> {
  const { env, log, signal } = context;
  const { python } = await ensurePython(context);
  const dir = await installOnce({
    root: cacheRoot(env),
    name: `standardwebhooks-${VERSION}`,
    log,
    signal,
    fill: into =>
      pipInstall(`standardwebhooks==${VERSION}`, into, { ...context, what: 'downloading standardwebhooks' }),
  });
  return { command: python, env: { PYTHONPATH: dir } };
}
