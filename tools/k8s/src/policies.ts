import { execFile } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheRoot, installOnce } from '@recording-request/stack/install/cache';
import type { InstallContext } from '@recording-request/stack/install/context';
import { onPath } from '@recording-request/stack/install/find';
import { fingerprintOf } from '@recording-request/stack/install/fingerprint';
import { run } from '@recording-request/stack/install/run';
import type { Manifest } from './manifests.ts';
import { ROOT } from './repository.ts';

/** One end of a connection: an address, and whose it is if a pod has it. */
export interface End {
  ip: string;
  namespace?: string;
  namespaceLabels?: Record<string, string>;
  labels?: Record<string, string>;
}

export interface Connection {
  from: End;
  to: End;
  port: number;
  /** How the pod that is called names the port. */
  portName?: string;
  protocol?: 'TCP' | 'UDP';
}

const SOURCES = join(ROOT, 'tools/k8s/policies');
const BUILD_MS = 45 * 60_000;
const LIMIT_MS = 60_000;
const OUTPUT_BYTES = 16 * 1024 * 1024;

/** Returns the program that judges NetworkPolicies, from the cache, or built once per machine. Rejects with a sentence that says what is missing. */
export async function ensurePolicyAnalyser({ env, log, signal }: InstallContext): Promise<string> {
  const dir = await installOnce({
    root: cacheRoot(env),
    name: `policies-${await fingerprintOf([SOURCES])}`,
    log,
    signal,
    async fill(into) {
      if (!(await onPath('go', env)))
        throw new Error(
          'What judges NetworkPolicies is built with Go, and there is no go on PATH: install Go 1.26 or newer.',
        );
      log('building what judges NetworkPolicies (a minute, longer on a busy machine; once per machine) …');
      const source = join(into, 'src');
      await cp(SOURCES, source, { recursive: true });
      await run('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', join(into, 'policies'), '.'], {
        ...{ what: 'building what judges NetworkPolicies', log, signal, cwd: source, timeoutMs: BUILD_MS },
        // -mod=readonly: what go.sum does not have the hash of is not built.
        env: { ...env, GOFLAGS: '-buildvcs=false -mod=readonly' },
      });
      await rm(source, { recursive: true });
    },
  });
  return join(dir, 'policies');
}

/** Returns for each connection whether the NetworkPolicies among `objects` allow it, at both of its ends. */
export async function allowed(program: string, objects: Manifest[], connections: Connection[]): Promise<boolean[]> {
  const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy');
  const ended = Promise.withResolvers<string>();
  const options = { timeout: LIMIT_MS, maxBuffer: OUTPUT_BYTES };
  const child = execFile(program, options, (error, stdout) => (error ? ended.reject(error) : ended.resolve(stdout)));
  child.stdin?.on('error', ended.reject).end(JSON.stringify({ policies, connections }));
  return JSON.parse(await ended.promise) as boolean[];
}
