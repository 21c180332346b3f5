import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheRoot, installOnce } from './cache.ts';
import type { InstallContext } from './context.ts';
import { ensureDebian, updateLists } from './debian.ts';
import { namedBy, onPath } from './find.ts';
import { run } from './run.ts';

const LIMIT_MS = 5 * 60_000;
/** The libraries that Debian's nginx needs and a minimal system may lack. */
const LIBRARIES = ['libpcre2-8-0', 'libssl3', 'zlib1g', 'libcrypt1'];

/**
 * Returns the path of an nginx: NGINX_BIN, PATH, the cache, or Debian's package. Only unpacks the package, because
 * installing it starts a server on port 80.
 */
export async function ensureNginx(context: InstallContext): Promise<string> {
  const { env, log, signal } = context;
  const own = (await namedBy('NGINX_BIN', env)) ?? (await onPath('nginx', env));
  if (own) return own;
  if (!(await onPath('apt-get', env)))
    throw new Error('There is no nginx on PATH and no apt-get: install nginx, or set NGINX_BIN to its path.');
  await ensureDebian(LIBRARIES, log, { env, signal });
  const dir = await installOnce({
    root: cacheRoot(env),
    name: 'nginx-1',
    log,
    signal,
    fill: async into => {
      const step = { log, signal, env, cwd: into, timeoutMs: LIMIT_MS };
      await updateLists(context);
      await run('apt-get', ['download', 'nginx'], { ...step, what: 'downloading nginx (1 MB)' });
      const file = (await readdir(into)).find(name => name.endsWith('.deb'));
      if (!file)
        throw new Error('apt-get downloaded no package of nginx: install nginx, or set NGINX_BIN to its path.');
      await run('dpkg-deb', ['--extract', file, '.'], { ...step, what: 'unpacking nginx' });
    },
  });
  return join(dir, 'usr/sbin/nginx');
}
