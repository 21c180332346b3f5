import { join } from 'node:path';
import { cacheRoot, installOnce } from './cache.ts';
import type { InstallContext } from './ensure.ts';
import { namedBy, onPath } from './find.ts';
import { run } from './run.ts';

const MODULE = 'github.com/minio/minio';
const VERSION = 'v0.0.0-20260212201848-7aac2a2c5b7c';
const LIMIT_MS = 45 * 60_000;

/** The path of a MinIO server: MINIO_BIN, PATH, the cache, or built from its Go module (two to five minutes, once a machine). */
export async function ensureMinio({ env, log, signal }: InstallContext): Promise<string> {
  const own = (await namedBy('MINIO_BIN', env)) ?? (await onPath('minio', env));
  if (own) return own;
  const dir = await installOnce({
    root: cacheRoot(env),
    name: `minio-${VERSION}`,
    log,
    signal,
    fill: async into => {
      if (!(await onPath('go', env)))
        throw new Error(
          'MinIO is built with Go, and there is no go on PATH: install Go, or set MINIO_BIN or S3_ENDPOINT.',
        );
      log('building MinIO (two to five minutes, once a machine) …');
      const began = Date.now();
      await run('go', ['install', '-v', `${MODULE}@${VERSION}`], {
        what: 'building MinIO',
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
      log(`MinIO is built (${Math.round((Date.now() - began) / 1000)} s)`);
    },
  });
  return join(dir, 'minio');
}
