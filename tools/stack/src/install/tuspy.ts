import { cacheRoot, installOnce } from './cache.ts';
import type { InstallContext } from './context.ts';
import { ensurePython, pipInstall } from './pip.ts';

const VERSION = '1.1.0';

/** tuspy and all its dependencies, pinned. */
const WHEELS = [
  `tuspy==${VERSION}`,
  'aiohappyeyeballs==2.7.1',
  'aiohttp==3.14.5',
  'aiosignal==1.4.0',
  'attrs==26.1.0',
  'certifi==2026.10.18',
  'charset-normalizer==3.5.2',
  'frozenlist==1.8.0',
  'idna==3.20',
  'multidict==7.2.1',
  'propcache==0.5.4',
  'requests==2.34.2',
  'tinydb==4.9.0',
  'typing_extensions==4.16.0',
  'urllib3==2.8.0',
  'yarl==1.25.1',
];

/** The command that runs a Python program that imports `tusclient` and `requests`. */
export interface TuspyInstall {
  command: string;
  env: Record<string, string>;
}

/**
 * Finds or installs the Python client of tus, for tests only (the cache, the registry). Each Python version has its own
 * folder, because some wheels are compiled.
 */
export async function ensureTuspy(context: InstallContext): Promise<TuspyInstall> {
  const { env, log, signal } = context;
  const { python, version } = await ensurePython(context);
  const dir = await installOnce({
    root: cacheRoot(env),
    name: `tuspy-${VERSION}-python${version}`,
    log,
    signal,
    fill: into => pipInstall(WHEELS, into, { ...context, what: 'downloading tuspy (3 MB)' }),
  });
  return { command: python, env: { PYTHONPATH: dir } };
}
