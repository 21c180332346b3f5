import { glob, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@recording-request/stack/install/run';
import type { Builder } from './builder.ts';
import { builtImage, type Image } from './product.ts';

export interface Package {
  /** The source; `node` is Node itself. */
  from: 'debian' | 'npm' | 'go' | 'node';
  name: string;
  version: string;
  /** The SPDX license, if the package declares one. */
  license?: string;
  /** The name of the Debian source package, if it differs. */
  source?: string;
  architecture?: string;
}

const LIMIT_MS = 60_000;

/** Returns the packages in a built image, read from its files. */
export const packagesIn = (builder: Builder, image: string): Promise<Package[]> =>
  withFilesOf(builder, image, async root => [
    await nodeIn(root),
    ...(await debianIn(root)),
    ...(await npmIn(root)),
    ...(await goIn(root)),
  ]);

/** Runs `use` with a folder that contains the files of a built image. The folder exists until `use` resolves. */
export async function withFilesOf<T>(
  { buildah }: Builder,
  image: string,
  use: (root: string) => Promise<T>,
): Promise<T> {
  const container = (await buildah('opening an image', ['from', '--pull-never', image])).trim();
  try {
    return await use((await buildah('mounting an image', ['mount', container])).trim());
  } finally {
    await buildah('closing an image', ['rm', container]);
  }
}

async function nodeIn(root: string): Promise<Package> {
  const said = await run('chroot', [root, 'node', '--version'], { what: 'node', log: () => {}, timeoutMs: LIMIT_MS });
  return { from: 'node', name: 'node', version: said.trim().replace(/^v/, ''), license: 'MIT' };
}

async function debianIn(root: string): Promise<Package[]> {
  const dir = join(root, 'var/lib/dpkg/status.d');
  const texts = await Promise.all((await readdir(dir)).sort().map(name => readFile(join(dir, name), 'utf8')));
  return texts.map(text => {
    const field = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(text)?.[1];
    const source = field('Source')?.split(' ')[0];
    return {
      from: 'debian',
      name: field('Package')!,
      version: field('Version')!,
      architecture: field('Architecture')!,
      ...(source && { source }),
    };
  });
}

/** Returns the packages below any `node_modules`. Skips this repository's workspaces, which are links there. */
async function npmIn(root: string): Promise<Package[]> {
  const found = new Map<string, Package>();
  for await (const file of glob('**/node_modules/{*,@*/*}/package.json', { cwd: join(root, 'app') })) {
    const { name, version, license } = JSON.parse(await readFile(join(root, 'app', file), 'utf8'));
    if (name?.startsWith('@recording-request/') || !version) continue;
    found.set(`${name}@${version}`, { from: 'npm', name, version, ...(typeof license === 'string' && { license }) });
  }
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

const GO_PROGRAMS = 'app/programs/{kustomize,helm,kubectl-validate,pod-security}-*/*';

/** Returns the modules that the Go programs of the check contain, and Go itself. */
async function goIn(root: string): Promise<Package[]> {
  const programs = await Array.fromAsync(glob(GO_PROGRAMS, { cwd: root }));
  const found = new Map<string, Package>();
  const add = (name: string, version: string) => found.set(`${name}@${version}`, { from: 'go', name, version });
  for (const file of programs.sort()) {
    const args = ['version', '-m', join(root, file)];
    const said = await run('go', args, { what: 'reading a Go program', log: () => {}, timeoutMs: LIMIT_MS });
    const [, go] = /: go(\S+)/.exec(said) ?? [];
    if (go) add('stdlib', go);
    for (const [, name, version] of said.matchAll(/^\t(?:mod|dep|=>)\t(\S+)\t(v\S+)(?=\s)(?!.*\n\t=>)/gm))
      add(name!, version!);
  }
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

const PACKAGE_MANAGERS = ['npm', 'npx', 'yarn', 'corepack', 'apt', 'dpkg'];
const FFMPEG = ['ffmpeg', 'ffprobe'];

/**
 * Returns the forbidden programs in a built image: package managers in every image, and ffmpeg in an image whose
 * services do not start it.
 */
export const unwantedIn = (builder: Builder, target: Image): Promise<string[]> =>
  withFilesOf(builder, builtImage(target), async root => {
    const names = [...PACKAGE_MANAGERS, ...(target === 'workers' ? [] : FFMPEG)];
    return (await Array.fromAsync(glob(`{bin,usr/bin,usr/local/bin}/{${names.join()}}`, { cwd: root }))).sort();
  });
