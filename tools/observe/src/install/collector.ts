import { createHash } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheRoot, installOnce } from '@recording-request/stack/install/cache';
import type { InstallContext } from '@recording-request/stack/install/context';
import { namedBy, onPath } from '@recording-request/stack/install/find';
import { run } from '@recording-request/stack/install/run';

const MANIFEST = fileURLToPath(new URL('../../../../deploy/observability/collector/builder.yaml', import.meta.url));
const BUILDER = 'go.opentelemetry.io/collector/cmd/builder';
const LIMIT_MS = 45 * 60_000;

/**
 * Returns the path of an OpenTelemetry Collector with the parts that deploy/observability/collector/builder.yaml lists: OTELCOL_BIN, the
 * cache, or a build, once per machine and list. Rejects with a sentence that names the missing program.
 */
export async function ensureCollector(context: InstallContext): Promise<string> {
  const { env, log, signal } = context;
  const own = await namedBy('OTELCOL_BIN', env);
  if (own) return own;
  const manifest = await readFile(MANIFEST, 'utf8');
  const { name, version } = readManifest(manifest);
  const parts = createHash('sha256').update(manifest).digest('hex').slice(0, 8);
  const dir = await installOnce({
    root: cacheRoot(env),
    name: `${name}-${version}-${parts}`,
    log,
    signal,
    fill: into => build(into, { name, version }, context),
  });
  return join(dir, name);
}

/** Reads the program's name and version from the builder's list. Fails when one is missing. */
export function readManifest(text: string): { name: string; version: string } {
  const value = (key: string) => new RegExp(`^ {2}${key}: (\\S+)$`, 'm').exec(text)?.[1];
  const [name, version] = [value('name'), value('version')];
  if (!name || !version) throw new Error(`${MANIFEST} has no name or no version.`);
  return { name, version };
}

async function build(into: string, { name, version }: { name: string; version: string }, context: InstallContext) {
  const { env, log, signal } = context;
  if (!(await onPath('go', env)))
    throw new Error('The collector is built with Go, and there is no go on PATH: install Go, or set OTELCOL_BIN.');
  log('building the OpenTelemetry Collector (four to ten minutes, longer on a busy machine; once per machine) …');
  const began = Date.now();
  const step = {
    log,
    signal,
    cwd: into,
    // Go refuses GOBIN when cross-compiling; -buildvcs=false because a module from the proxy has no repository.
    env: {
      ...env,
      GOBIN: into,
      GOOS: undefined,
      GOARCH: undefined,
      GOFLAGS: `${env.GOFLAGS ?? ''} -buildvcs=false`.trim(),
    },
    timeoutMs: LIMIT_MS,
  };
  await run('go', ['install', `${BUILDER}@v${version}`], { ...step, what: "building the collector's builder" });
  await run(join(into, 'builder'), ['--config', MANIFEST, '--verbose'], { ...step, what: 'building the collector' });
  await rename(join(into, 'build', name), join(into, name));
  await rm(join(into, 'build'), { recursive: true });
  await rm(join(into, 'builder'));
  log(`the collector is built (${Math.round((Date.now() - began) / 1000)} s)`);
}
