import { copyFile, cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exists } from '@recording-request/stack/files';
import type { InstallContext } from '@recording-request/stack/install/context';
import { ensureDebian } from '@recording-request/stack/install/debian';
import { onPath } from '@recording-request/stack/install/find';
import { type RunOptions, run } from '@recording-request/stack/install/run';

const PACKAGES = ['buildah', 'mmdebstrap'];
const BUILD_MS = 40 * 60_000;
const LOOK_MS = 30_000;
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';
// This machine may be unable to reach the registry of the Dockerfile's base image. So the builder makes a base image
// from these Debian packages. Node needs libatomic1.
const DEBIAN = ['apt', 'ca-certificates', 'libstdc++6', 'libatomic1', 'passwd'];

/** Runs buildah with a separate image store in the cache folder. Resolves to its output. */
export interface Builder {
  buildah(what: string, args: string[], more?: Partial<RunOptions>): Promise<string>;
  /** Builds an image from a Dockerfile, with cached layers for unchanged steps. */
  build(what: string, args: string[], more?: Partial<RunOptions>): Promise<string>;
  /** The image that replaces the registry's Node image. */
  base: string;
  /** Returns the image that replaces the registry's Go image: this machine's Go in the base image. */
  go(): Promise<string>;
}

/**
 * Opens the builder. Builds the base image the first time. Later runs reuse `kept`; the caller may remove `run`
 * afterwards.
 */
export async function openBuilder(
  { kept, run: dir }: { kept: string; run: string },
  context: InstallContext,
): Promise<Builder> {
  const { log, signal, env } = context;
  if (process.getuid?.() !== 0) throw new Error('Building images needs root: run this as root.');
  await ensureDebian(PACKAGES, log, { env, signal });
  await mkdir(kept, { recursive: true });
  const storage = ['--root', join(kept, 'images'), '--runroot', join(dir, 'buildah')];
  const buildah: Builder['buildah'] = (what, [command, ...args], more = {}) =>
    run('buildah', [...storage, command!, ...args], { what, log, signal, env, timeoutMs: BUILD_MS, ...more });
  const builder: Builder = {
    buildah,
    build: (what, args, more) =>
      buildah(what, ['build', '--isolation', 'chroot', '--network', 'host', '--pull-never', '--layers', ...args], more),
    base: `localhost/lab-node:${process.versions.node}`,
    go: () => goImage(builder, dir, context),
  };
  if (!(await isThere(builder, builder.base))) await buildBase(builder, dir, context);
  return builder;
}

const isThere = ({ buildah }: Builder, image: string): Promise<boolean> =>
  buildah('looking for an image', ['inspect', '--type', 'image', image], { log: () => {} }).then(
    () => true,
    () => false,
  );

async function goImage(builder: Builder, dir: string, { log, signal, env }: InstallContext): Promise<string> {
  const step = { what: 'looking for Go', log, signal, env, timeoutMs: LOOK_MS };
  const [version = '', from = ''] = (await run('go', ['env', 'GOVERSION', 'GOROOT'], step)).split('\n');
  const image = `localhost/lab-go:${process.versions.node}-${version}`;
  if (await isThere(builder, image)) return image;
  const work = await mkdtemp(join(dir, 'go-'));
  await cp(from, join(work, 'go'), { recursive: true });
  const lines = [
    `FROM ${builder.base}`,
    'COPY go /usr/local/go',
    'ENV PATH=/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin',
  ];
  await writeFile(join(work, 'Dockerfile'), `${lines.join('\n')}\n`);
  await builder.build('building an image with Go', ['--tag', image, work]);
  await rm(work, { recursive: true, force: true });
  return image;
}

/** Builds an image with this process's Node, npm and Debian's package manager, instead of the registry's image. */
async function buildBase({ base, build }: Builder, dir: string, { log, signal, env }: InstallContext): Promise<void> {
  log('building the base image for deploy/Dockerfile (a minute; once per machine) …');
  const work = await mkdtemp(join(dir, 'base-'));
  const root = join(work, 'root');
  const args = ['--mode=root', '--variant=essential', `--include=${DEBIAN.join(',')}`, 'bookworm', root];
  await run('mmdebstrap', args, { what: 'installing Debian packages', log, signal, env, timeoutMs: BUILD_MS });
  await copyFile(process.execPath, join(root, 'usr/local/bin/node'));
  const npm = dirname(dirname(await realpath((await onPath('npm', env)) ?? fail('there is no npm on PATH'))));
  await mkdir(join(root, 'usr/local/lib/node_modules'), { recursive: true });
  await cp(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
  // Adds this computer's certificate authorities, because its package registry may need one of them.
  if (await exists(AUTHORITIES)) await copyFile(AUTHORITIES, join(root, AUTHORITIES));
  const lines = [
    'FROM scratch',
    'COPY root /',
    'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && groupadd -g 1000 node && useradd -m -u 1000 -g 1000 node',
    `ENV NODE_EXTRA_CA_CERTS=${AUTHORITIES} NPM_CONFIG_CAFILE=${AUTHORITIES}`,
    'CMD ["node"]',
  ];
  await writeFile(join(work, 'Dockerfile'), `${lines.join('\n')}\n`);
  await build('building a base image', ['--tag', base, work]);
  await rm(work, { recursive: true, force: true });
}

function fail(sentence: string): never {
  throw new Error(sentence);
}
