import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheRoot, installOnce } from '@recording-request/stack/install/cache';
import type { InstallContext } from '@recording-request/stack/install/context';
import { onPath } from '@recording-request/stack/install/find';
import { run } from '@recording-request/stack/install/run';
import type { Kubectl } from './kubectl.ts';

/**
 * Programs and resource definitions of a module whose go.mod replaces other modules. `go install` refuses such a
 * module.
 */
export interface ProgramModule {
  /** The name in the cache and in messages. */
  name: string;
  module: string;
  version: string;
  /** The folders of the module that contain a program. Each folder has the name of its program. */
  programs: readonly string[];
  /** The location of the resource definitions: a folder of the module, or of a module that it requires. */
  definitions: { module: string; at: string };
  /** The duration of a build, such as "two to five minutes". */
  takes: string;
}

/** The name of the folder with the definitions, next to the built programs. */
const DEFINITIONS = 'definitions';

const BUILD_MS = 60 * 60_000;
const SERVED_MS = 30_000;

/** Finds the folder in the cache, or builds the programs once per machine. Rejects with a sentence that names the missing program. */
export async function ensureModulePrograms(wanted: ProgramModule, context: InstallContext): Promise<string> {
  const { name, version } = wanted;
  const { env, log, signal } = context;
  return await installOnce({
    ...{ root: cacheRoot(env), name: `${name}-${version}`, log, signal },
    fill: into => build(wanted, into, context),
  });
}

async function build(wanted: ProgramModule, into: string, { env, log, signal }: InstallContext): Promise<void> {
  const { name, module, version, programs, definitions, takes } = wanted;
  if (!(await onPath('go', env))) throw new Error(`${name} is built with Go, and there is no go on PATH: install Go.`);
  log(`building ${name} ${version} (${takes}, longer on a busy machine; once per machine) …`);
  const go = { ...env, CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' };
  const step = { log, signal, timeoutMs: BUILD_MS, what: `building ${name}`, env: go };
  const found = await run('go', ['mod', 'download', '-json', `${module}@${version}`], step);
  const { Dir: source } = JSON.parse(found) as { Dir: string };
  // Copies go.mod and go.sum, because the module's folder is read-only.
  const work = join(into, 'src');
  await mkdir(work);
  for (const file of ['go.mod', 'go.sum']) await copyFile(join(source, file), join(work, file));
  const within = { ...step, cwd: source };
  const modfile = `-modfile=${join(work, 'go.mod')}`;
  const folders = programs.map(folder => `./${folder}`);
  const args = ['go', 'build', '-v', modfile, '-ldflags=-s -w', `-o=${into}/`, ...folders];
  const progress = (lines: number, last: string) => `${lines} packages so far${last && `, now ${last.slice(0, 60)}`}`;
  await run('nice', args, { ...within, progress });
  const definer = (await run('go', ['list', '-m', modfile, '-f={{.Dir}}', definitions.module], within)).trim();
  await mkdir(join(into, DEFINITIONS));
  for (const file of await readdir(join(definer, definitions.at)))
    await copyFile(join(definer, definitions.at, file), join(into, DEFINITIONS, file));
  await rm(work, { recursive: true });
}

/** Applies the definitions that were built beside `programs`; resolves when the server accepts objects of `resource`. */
export async function applyDefinitions(kubectl: Kubectl, programs: string, resource: string): Promise<void> {
  await kubectl.run(['apply', '--server-side', `--filename=${join(programs, DEFINITIONS)}`]);
  // Waits until the definition has conditions, because `kubectl wait` reports an error without them.
  const wait = ['wait', '--for=condition=Established', `crd/${resource}`, '--timeout=10s'];
  await kubectl.until(`the definition of ${resource}`, wait, SERVED_MS);
}
