import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstallContext } from '@recording-request/stack/install/context';
import { ROOT } from '../repository.ts';
import type { Builder } from './builder.ts';

/** The targets of deploy/Dockerfile that run the product. */
export const TARGETS = ['services', 'workers'] as const;
export type Target = (typeof TARGETS)[number];

/** All targets of deploy/Dockerfile, including the image that checks overlays and values. */
export const IMAGES = [...TARGETS, 'check'] as const;
export type Image = (typeof IMAGES)[number];

/** The names of the images, by their targets. */
export const NAMES: Record<Image, string> = {
  services: 'recording-request',
  workers: 'recording-request-workers',
  check: 'recording-request-check',
};

/** The tags of this version and of the previous version, for images built on this machine. */
export type Tag = 'lab' | 'previous';

/** Returns the name and tag of an image built on this machine. */
export const builtImage = (target: Image, tag: Tag = 'lab'): string => `localhost/${NAMES[target]}:${tag}`;

/** Builds both images of the product from deploy/Dockerfile. Resolves to the duration in seconds. */
export async function buildProduct(builder: Builder, { log }: Pick<InstallContext, 'log'>): Promise<number> {
  const began = Date.now();
  log('building the images from deploy/Dockerfile (five minutes the first time, to compile ffmpeg) …');
  await buildFrom(builder, ROOT, 'lab');
  return Math.round((Date.now() - began) / 1000);
}

/** Builds the image that checks overlays and values. */
export async function buildCheck({ build, base, go }: Builder, { log }: Pick<InstallContext, 'log'>): Promise<void> {
  log('building the image of the check (some twenty minutes the first time, to build its programs) …');
  const images = ['--build-arg', `NODE_IMAGE=${base}`, '--build-arg', `GO_IMAGE=${await go()}`];
  const args = ['--file', join(ROOT, 'deploy/Dockerfile'), '--target', 'check', '--tag', builtImage('check'), ROOT];
  const progress = (_: number, last: string) => last.slice(0, 70);
  await build('building the image of the check', [...images, ...args], { progress });
}

/** Builds the images of the version in a folder. Resolves to their names and tags. */
export async function buildPrevious(
  builder: Builder,
  folder: string,
  { log }: Pick<InstallContext, 'log'>,
): Promise<string[]> {
  log('building the images of the previous version (some minutes the first time) …');
  return await buildFrom(builder, folder, 'previous');
}

async function buildFrom({ build, base }: Builder, folder: string, tag: Tag): Promise<string[]> {
  const file = join(folder, 'deploy/Dockerfile');
  const built: string[] = [];
  const progress = (_: number, last: string) => last.slice(0, 70);
  for (const target of await targetsOf(file)) {
    const image = builtImage(target ?? 'services', tag);
    const args = ['--build-arg', `NODE_IMAGE=${base}`, '--file', file, ...(target ? ['--target', target] : [])];
    await build(`building the image of the ${target ?? 'services'}`, [...args, '--tag', image, folder], { progress });
    built.push(image);
  }
  return built;
}

/** Returns the targets of a Dockerfile. In an older version, a single image without a target may contain everything. */
async function targetsOf(file: string): Promise<(Target | undefined)[]> {
  const text = await readFile(file, 'utf8');
  const named = TARGETS.filter(target => new RegExp(`^FROM .+ AS ${target}$`, 'm').test(text));
  return named.length > 0 ? named : [undefined];
}
