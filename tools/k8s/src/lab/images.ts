import { copyFile, cp, mkdir, mkdtemp, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exists } from '@recording-request/stack/files';
import type { InstallContext } from '@recording-request/stack/install/context';
import { onPath } from '@recording-request/stack/install/find';
import { type RunOptions, run } from '@recording-request/stack/install/run';
import { ROOT } from '../repository.ts';
import type { Place } from './place.ts';
import type { Programs } from './programs.ts';

/** The product's image as the lab's node knows it. */
export const IMAGE = 'localhost/recording-request:lab';
const PAUSE_IMAGE = 'localhost/pause:3.10';
const BUILD_MS = 20 * 60_000;
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';
// What the Dockerfile builds on comes from a registry elsewhere. This is Debian's part of it; libatomic1 is Node's need.
const DEBIAN = ['apt', 'ca-certificates', 'libstdc++6', 'libatomic1', 'passwd'];

/** Files to import, and what the product's image took to build. */
export interface Images {
  files: string[];
  bytes: number;
  seconds: number;
}

/** Builds the product's image from its Dockerfile, and the others that a node needs. */
export async function buildImages(
  { kept, run: dir }: Place,
  programs: Programs,
  context: InstallContext,
): Promise<Images> {
  const { log, signal, env } = context;
  const storage = ['--root', join(kept, 'images'), '--runroot', join(dir, 'buildah')];
  const buildah = (what: string, [command, ...args]: string[], more: Partial<RunOptions> = {}) =>
    run('buildah', [...storage, command!, ...args], { what, log, signal, env, timeoutMs: BUILD_MS, ...more });
  await mkdir(kept, { recursive: true });
  const node = process.versions.node;
  const base = `localhost/lab-node:${node}`;
  const isThere = await buildah('looking for an image', ['inspect', '--type', 'image', base], { log: () => {} }).then(
    () => true,
    () => false,
  );
  if (!isThere) await buildBase(base, { dir, buildah, context });
  const began = Date.now();
  log('building the image of the services from deploy/Dockerfile …');
  const progress = (_: number, last: string) => last.slice(0, 70);
  const building = ['build', '--isolation', 'chroot', '--network', 'host', '--pull-never', '--layers'];
  const files = ['--build-arg', `NODE_IMAGE=${base}`, '--file', join(ROOT, 'deploy/Dockerfile'), '--tag', IMAGE, ROOT];
  await buildah('building the image of the services', [...building, ...files], { progress });
  const seconds = Math.round((Date.now() - began) / 1000);
  await buildah('building an image', [...building, '--tag', PAUSE_IMAGE, await pauseContext(dir, programs)]);
  const exported: string[] = [];
  for (const [name, image] of [
    ['services', IMAGE],
    ['pause', PAUSE_IMAGE],
  ] as const) {
    const file = join(dir, `${name}.tar`);
    await rm(file, { force: true });
    await buildah('exporting an image', ['push', image, `docker-archive:${file}:${image}`]);
    exported.push(file);
  }
  return { files: exported, bytes: (await stat(exported[0]!)).size, seconds };
}

/** An image with Node as this process runs it, npm, and Debian's package manager, in place of the one from a registry. */
async function buildBase(
  image: string,
  {
    dir,
    buildah,
    context,
  }: { dir: string; buildah: (what: string, args: string[]) => Promise<string>; context: InstallContext },
): Promise<void> {
  const { log, signal, env } = context;
  log('building the image that deploy/Dockerfile builds on (a minute; once per machine) …');
  const work = await mkdtemp(join(dir, 'base-'));
  const root = join(work, 'root');
  const args = ['--mode=root', '--variant=essential', `--include=${DEBIAN.join(',')}`, 'bookworm', root];
  await run('mmdebstrap', args, { what: 'making a Debian', log, signal, env, timeoutMs: BUILD_MS });
  await copyFile(process.execPath, join(root, 'usr/bin/node'));
  const npm = dirname(dirname(await realpath((await onPath('npm', env)) ?? fail('there is no npm on PATH'))));
  await mkdir(join(root, 'usr/lib/node_modules'), { recursive: true });
  await cp(npm, join(root, 'usr/lib/node_modules/npm'), { recursive: true });
  // Authorities of this computer: its registry may be one that only they vouch for.
  if (await exists(AUTHORITIES)) await copyFile(AUTHORITIES, join(root, AUTHORITIES));
  const lines = [
    'FROM scratch',
    'COPY root /',
    'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/bin/npm && groupadd -g 1000 node && useradd -m -u 1000 -g 1000 node',
    `ENV NODE_EXTRA_CA_CERTS=${AUTHORITIES} NPM_CONFIG_CAFILE=${AUTHORITIES}`,
    'CMD ["node"]',
  ];
  await writeFile(join(work, 'Dockerfile'), `${lines.join('\n')}\n`);
  await buildah('building a base image', ['build', '--isolation', 'chroot', '--network', 'host', '--tag', image, work]);
  await rm(work, { recursive: true, force: true });
}

async function pauseContext(dir: string, programs: Programs): Promise<string> {
  const work = join(dir, 'pause-image');
  await mkdir(work, { recursive: true });
  await copyFile(programs.pause, join(work, 'pause'));
  await writeFile(
    join(work, 'Dockerfile'),
    'FROM scratch\nCOPY pause /pause\nUSER 65535:65535\nENTRYPOINT ["/pause"]\n',
  );
  return work;
}

function fail(sentence: string): never {
  throw new Error(sentence);
}
