import { execFile } from 'node:child_process';
import { copyFile, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** The clients that owners install: folders of `clients/`. */
export const CLIENTS = ['typescript', 'cli'];
const SCOPE = '@recording-request/';

interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  exports?: Record<string, string>;
  bin?: Record<string, string>;
  /** Maps each name that begins with `#` to a source of another package of this repository. */
  imports?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: unknown;
}

// The oldest Node on which the packages run.
const TARGET = 'node20.3';

/**
 * Compiles a client, such as `typescript`, into its `dist/` and packs this folder into `dir`. Returns the path of the
 * package. Inside node_modules, Node does not remove types, so the package needs a manifest that names the compiled
 * files; the client's own manifest names the sources. Each entry of `imports` becomes one file of the package.
 */
export async function packClient(client: string, dir: string): Promise<string> {
  const folder = join(ROOT, 'clients', client);
  const dist = join(folder, 'dist');
  const manifest = await manifestIn(folder);
  await rm(dist, { recursive: true, force: true });
  // The client compiles against the types of the packages that it contains.
  for (const name of contained(manifest)) await compile(await folderOf(name));
  await compile(folder);
  await bundle(manifest, folder);
  await writeFile(join(dist, 'package.json'), `${JSON.stringify(await published(manifest), null, 2)}\n`);
  await copyFile(join(folder, 'README.md'), join(dist, 'README.md'));
  await copyFile(join(ROOT, 'LICENSE'), join(dist, 'LICENSE'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', dir], { cwd: dist });
  return join(dir, nameIn(JSON.parse(stdout)));
}

async function compile(folder: string): Promise<void> {
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  await run(tsc, ['-p', join(folder, 'tsconfig.build.json')]).catch(({ stdout }) => {
    throw new Error(`${folder} does not compile:\n${stdout}`);
  });
}

/** Bundles each source in `imports` into one file. Packages from npm remain dependencies. */
async function bundle(manifest: Manifest, folder: string): Promise<void> {
  const external = Object.keys(await dependenciesOf(manifest)).flatMap(name => [name, `${name}/*`]);
  for (const [name, source] of Object.entries(manifest.imports ?? {}))
    await build({
      ...{ absWorkingDir: folder, entryPoints: [source], outfile: join('dist', bundleOf(name)) },
      ...{ bundle: true, external, platform: 'node', format: 'esm', target: TARGET, logLevel: 'error' },
    });
}

const bundleOf = (name: string): string => `${name.replace('#', '')}.js`;

/** Returns the names of the packages whose sources the client contains. */
const contained = ({ imports = {} }: Manifest): string[] => [
  ...new Set(Object.values(imports).map(source => source.split('/').slice(0, 2).join('/'))),
];

/** Returns the manifest of the package: its exports are the compiled files. */
async function published(own: Manifest): Promise<object> {
  const { private: _, devDependencies: _own, ...manifest } = own;
  const compiled = (source: string) => source.replace('./src/', './').replace(/\.ts$/, '');
  const entry = (source: string) => ({ types: `${compiled(source)}.d.ts`, default: `${compiled(source)}.js` });
  const each = <T, R>(values: Record<string, T>, change: (value: T, name: string) => R) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));
  const { exports, bin, imports } = manifest;
  const dependencies = await dependenciesOf(own);
  return {
    ...manifest,
    ...(exports && { exports: { ...each(exports, entry), './package.json': './package.json' } }),
    ...(bin && { bin: each(bin, source => `${compiled(source)}.js`) }),
    ...(imports && { imports: each(imports, (_source, name) => `./${bundleOf(name)}`) }),
    ...(Object.keys(dependencies).length > 0 && { dependencies }),
  };
}

/** Returns the dependencies of the package. Replaces each contained package by the dependencies of that package. */
async function dependenciesOf(manifest: Manifest): Promise<Record<string, string>> {
  const inside = contained(manifest);
  const all: Record<string, string> = {};
  for (const name of inside) Object.assign(all, (await manifestIn(await folderOf(name))).dependencies);
  for (const [name, version] of Object.entries(manifest.dependencies ?? {}))
    if (!inside.includes(name)) all[name] = await versionOf(name, version);
  return all;
}

/** Returns the version of a dependency. For a package of this repository, its manifest has the version. */
async function versionOf(name: string, version: string): Promise<string> {
  return name.startsWith(SCOPE) ? (await manifestIn(await folderOf(name))).version : version;
}

const folderOf = (name: string): Promise<string> => realpath(join(ROOT, 'node_modules', name));

const manifestIn = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;

/** Returns the file name in npm's output: an array until npm 11; since npm 12, an object whose keys are package names. */
function nameIn(answer: { filename: string }[] | Record<string, { filename: string }>): string {
  const [made] = Object.values(answer);
  if (!made) throw new Error('npm pack made no package.');
  return made.filename;
}
