import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheRoot, installOnce } from '@recording-request/stack/install/cache';
import type { InstallContext } from '@recording-request/stack/install/context';
import { onPath } from '@recording-request/stack/install/find';
import { run } from '@recording-request/stack/install/run';
import type { Kubectl } from './kubectl.ts';

/** Programs of a module that replaces others in its go.mod, which `go install` refuses, and the resources that they work with. */
export interface ProgramModule {
  /** In the cache, and in what is said. */
  name: string;
  module: string;
  version: string;
  /** Folders of it, each named as the program is. */
  programs: readonly string[];
  /** Where the definitions of resources are: in a folder of it, or of a module that it requires. */
  definitions: { module: string; at: string };
  /** How long a build takes, such as "two to five minutes". */
  takes: string;
}

/** The folder of built programs, by their names, and with `definitions`. */
const DEFINITIONS = 'definitions';

const BUILD_MS = 60 * 60_000;
const SERVED_MS = 30_000;

/** Finds the folder in the cache, or builds the programs once per machine. Rejects with a sentence that says what is missing. */
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
  // Its own go.mod and go.sum, elsewhere: the folder of modules is not written to.
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

/** Applies the definitions that were built beside `programs`; resolves when the server takes objects of `resource`. */
export async function applyDefinitions(kubectl: Kubectl, programs: string, resource: string): Promise<void> {
  await kubectl.run(['apply', '--server-side', `--filename=${join(programs, DEFINITIONS)}`]);
  // A definition of this moment has no conditions yet, which a wait takes for a fault.
  const wait = ['wait', '--for=condition=Established', `crd/${resource}`, '--timeout=10s'];
  await kubectl.until(`the definition of ${resource}`, wait, SERVED_MS);
}
