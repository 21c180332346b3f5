import { execFile } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheRoot, installOnce } from '@recording-request/stack/install/cache';
import type { InstallContext } from '@recording-request/stack/install/context';
import { onPath } from '@recording-request/stack/install/find';
import { fingerprintOf } from '@recording-request/stack/install/fingerprint';
import { run } from '@recording-request/stack/install/run';
import { ROOT } from './repository.ts';

/** A Go program of this package. */
export interface GoProgram {
  name: string;
  /** The program's task in the third person, such as "judges pods". */
  does: string;
}

const BUILD_MS = 45 * 60_000;
const LIMIT_MS = 60_000;
const OUTPUT_BYTES = 16 * 1024 * 1024;

/** Returns the program's path, from the cache or built once per machine. Rejects with a sentence that names the missing program. */
export async function ensureGoProgram({ name, does }: GoProgram, context: InstallContext): Promise<string> {
  const { env, log, signal } = context;
  const sources = join(ROOT, 'tools/k8s', name);
  const dir = await installOnce({
    root: cacheRoot(env),
    name: `${name}-${await fingerprintOf([sources])}`,
    log,
    signal,
    async fill(into) {
      if (!(await onPath('go', env)))
        throw new Error(
          `The program that ${does} is built with Go, and there is no go on PATH: install Go 1.26 or newer.`,
        );
      log(`building the program that ${does} (a minute, longer on a busy machine; once per machine) …`);
      const source = join(into, 'src');
      await cp(sources, source, { recursive: true });
      await run('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', join(into, name), '.'], {
        ...{ what: `building the program that ${does}`, log, signal, cwd: source, timeoutMs: BUILD_MS },
        // With -mod=readonly, the build fails for a module whose hash is not in go.sum.
        env: { ...env, GOFLAGS: '-buildvcs=false -mod=readonly' },
      });
      await rm(source, { recursive: true });
    },
  });
  return join(dir, name);
}

/** Sends `question` to a program as JSON. Resolves to the program's result. */
export async function ask(program: string, question: object): Promise<unknown> {
  const ended = Promise.withResolvers<string>();
  const options = { timeout: LIMIT_MS, maxBuffer: OUTPUT_BYTES };
  const child = execFile(program, options, (error, stdout) => (error ? ended.reject(error) : ended.resolve(stdout)));
  child.stdin?.on('error', ended.reject).end(JSON.stringify(question));
  return JSON.parse(await ended.promise);
}
