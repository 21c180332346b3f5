import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheRoot, installOnce } from '@recording-request/stack/install/cache';
import type { InstallContext } from '@recording-request/stack/install/context';
import { updateLists } from '@recording-request/stack/install/debian';
import { namedBy, onPath } from '@recording-request/stack/install/find';
import { run } from '@recording-request/stack/install/run';

const LIMIT_MS = 5 * 60_000;

/** The paths of the server and of promtool. */
export interface PrometheusInstall {
  prometheus: string;
  promtool: string;
}

/**
 * Finds or installs Prometheus 2.42 or newer: PROMETHEUS_BIN and PROMTOOL_BIN, PATH, the cache, or the programs in
 * Debian's package. Only unpacks the package, because installing it starts a server on port 9090.
 */
export async function ensurePrometheus(context: InstallContext): Promise<PrometheusInstall> {
  const { env, log, signal } = context;
  const prometheus = (await namedBy('PROMETHEUS_BIN', env)) ?? (await onPath('prometheus', env));
  const promtool = (await namedBy('PROMTOOL_BIN', env)) ?? (await onPath('promtool', env));
  if (prometheus && promtool) return { prometheus, promtool };
  const wish = 'install Prometheus 2.42 or newer, or set PROMETHEUS_BIN and PROMTOOL_BIN to the paths of its programs';
  if (!(await onPath('apt-get', env))) throw new Error(`There is no Prometheus on PATH and no apt-get: ${wish}.`);
  const dir = await installOnce({
    root: cacheRoot(env),
    name: 'prometheus-debian-1',
    log,
    signal,
    fill: async into => {
      const step = { log, signal, env, cwd: into, timeoutMs: LIMIT_MS };
      await updateLists(context);
      await run('apt-get', ['download', 'prometheus'], { ...step, what: 'downloading Prometheus (19 MB)' });
      const file = (await readdir(into)).find(name => name.endsWith('.deb'));
      if (!file) throw new Error(`apt-get downloaded no package of Prometheus: ${wish}.`);
      await run('dpkg-deb', ['--extract', file, '.'], { ...step, what: 'unpacking Prometheus' });
      await rm(join(into, file));
    },
  });
  return { prometheus: join(dir, 'usr/bin/prometheus'), promtool: join(dir, 'usr/bin/promtool') };
}
