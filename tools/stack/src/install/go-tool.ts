import { join } from 'node:path';
import { cacheRoot, installOnce } from './cache.ts';
import type { InstallContext } from './context.ts';
import { namedBy, onPath } from './find.ts';
import { run } from './run.ts';

/** A program built from a Go module. */
export interface GoTool {
  command: string;
  module: string;
  version: string;
  /** The variable that names an executable to use instead. */
  variable: string;
  /** The duration of a build, such as "two to five minutes". */
  takes: string;
  /** True if another program has the same name, so that PATH may contain the wrong program. */
  isAmbiguous?: boolean;
}

const LIMIT_MS = 45 * 60_000;

/**
 * Returns the program's path: from its variable, PATH (unless another program has the same name), the cache, or a
 * build, once per machine. Rejects with a sentence that says what is missing.
 */
export async function ensureGoTool(tool: GoTool, { env, log, signal }: InstallContext): Promise<string> {
  const { command, module, version, variable, takes, isAmbiguous = false } = tool;
  const own = (await namedBy(variable, env)) ?? (isAmbiguous ? undefined : await onPath(command, env));
  if (own) return own;
  const dir = await installOnce({
    root: cacheRoot(env),
    name: `${command}-${version}`,
    log,
    signal,
    fill: async into => {
      if (!(await onPath('go', env)))
        throw new Error(
          `${command} is built with Go, and there is no go on PATH: install Go, or set ${variable} to its path.`,
        );
      log(`building ${command} (${takes}, longer on a busy machine; once per machine) …`);
      const began = Date.now();
      await run('go', ['install', '-v', `${module}@${version}`], {
        what: `building ${command}`,
        log,
        signal,
        // Go refuses GOBIN when cross-compiling. -buildvcs=false, because a module from the proxy has no repository.
        env: {
          ...env,
          GOBIN: into,
          GOOS: undefined,
          GOARCH: undefined,
          GOFLAGS: `${env.GOFLAGS ?? ''} -buildvcs=false`.trim(),
        },
        timeoutMs: LIMIT_MS,
        progress: (lines, last) => `${lines} modules and packages so far${last ? `, now ${last.slice(0, 60)}` : ''}`,
      });
      log(`${command} is built (${Math.round((Date.now() - began) / 1000)} s)`);
    },
  });
  return join(dir, command);
}
