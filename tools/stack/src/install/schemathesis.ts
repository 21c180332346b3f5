import { join } from 'node:path';
import { cacheRoot, installOnce } from './cache.ts';
import type { InstallContext } from './context.ts';
import { ensurePython, pipInstall } from './pip.ts';

const VERSION = '4.32.5';

/** Schemathesis and all its dependencies, pinned so that later runs do the same. */
const WHEELS = [
  `schemathesis==${VERSION}`,
  'anyio==4.16.0',
  'certifi==2026.10.18',
  'charset-normalizer==3.5.2',
  'click==8.5.1',
  'graphql-core==3.3.2',
  'harfile==0.6.0',
  'hypothesis==6.170.15',
  'hypothesis-graphql==0.13.5',
  'idna==3.20',
  'iniconfig==2.3.1',
  'jsonschema-rs==0.60.3',
  'markdown-it-py==4.3.0',
  'markupsafe==3.0.4',
  'mdurl==0.1.2',
  'packaging==26.3',
  'pluggy==1.7.0',
  'pygments==2.21.0',
  'pyrate-limiter==4.5.1',
  'pytest==9.2.0',
  'pyyaml==6.0.3',
  'requests==2.34.2',
  'rich==15.0.0',
  'sortedcontainers==2.4.0',
  'typing-extensions==4.16.0',
  'urllib3==2.8.0',
  'werkzeug==3.1.9',
];

/** The command that starts Schemathesis, and the variables it needs. */
export interface SchemathesisInstall {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/**
 * Finds or installs Schemathesis, for tests only (the cache, the registry). Each Python version has its own folder,
 * because some wheels are compiled.
 */
export async function ensureSchemathesis(context: InstallContext): Promise<SchemathesisInstall> {
  const { env, log, signal } = context;
  const { python, version } = await ensurePython(context);
  const pythonPath = await installOnce({
    root: cacheRoot(env),
    name: `schemathesis-${VERSION}-python${version}`,
    log,
    signal,
    fill: into => pipInstall(WHEELS, into, { ...context, what: 'downloading Schemathesis (20 MB)' }),
  });
  return {
    command: python,
    args: ['-m', 'schemathesis.cli'],
    env: { PYTHONPATH: pythonPath, PATH: [join(pythonPath, 'bin'), env.PATH].filter(Boolean).join(':') },
  };
}
