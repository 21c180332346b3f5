import { execFile } from 'node:child_process';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

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
  dependencies?: Record<string, string>;
  devDependencies?: unknown;
}

/**
 * Compiles a client, such as `typescript`, into its `dist/` and packs that into `dir`. Returns the path of the package.
 * The manifest of the repository names the sources, because Node removes types only outside node_modules.
 */
export async function packClient(client: string, dir: string): Promise<string> {
  const folder = join(ROOT, 'clients', client);
  const dist = join(folder, 'dist');
  await rm(dist, { recursive: true, force: true });
  await compile(folder);
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
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

/** Returns the manifest of the package: its exports are the compiled files. */
async function published({ private: _, devDependencies: _own, ...manifest }: Manifest): Promise<object> {
  const compiled = (source: string) => source.replace('./src/', './').replace(/\.ts$/, '');
  const entry = (source: string) => ({ types: `${compiled(source)}.d.ts`, default: `${compiled(source)}.js` });
  const each = <T, R>(values: Record<string, T>, change: (value: T) => R) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
  const { exports, bin, dependencies = {} } = manifest;
  const ours = await Promise.all(
    Object.entries(dependencies).map(async ([name, version]) => [name, await versionOf(name, version)]),
  );
  return {
    ...manifest,
    ...(exports && { exports: { ...each(exports, entry), './package.json': './package.json' } }),
    ...(bin && { bin: each(bin, source => `${compiled(source)}.js`) }),
    ...(ours.length > 0 && { dependencies: Object.fromEntries(ours) }),
  };
}

/** Returns the version of a dependency: that of our own packages is in their manifest. */
async function versionOf(name: string, version: string): Promise<string> {
  if (!name.startsWith(SCOPE)) return version;
  const manifest = join(ROOT, 'node_modules', name, 'package.json');
  return (JSON.parse(await readFile(manifest, 'utf8')) as Manifest).version;
}

/** Returns the file name in the answer of npm: an array until npm 11, an object by name since npm 12. */
function nameIn(answer: { filename: string }[] | Record<string, { filename: string }>): string {
  const [made] = Object.values(answer);
  if (!made) throw new Error('npm pack made no package.');
  return made.filename;
}
