import { join } from 'node:path';
import type { InstallContext } from '@recording-request/stack/install/context';
import { ROOT } from '../repository.ts';
import type { Builder } from './builder.ts';

/** The targets of deploy/Dockerfile. */
export const TARGETS = ['services', 'workers'] as const;
export type Target = (typeof TARGETS)[number];

/** The names of the images in the manifests, by their targets. */
export const NAMES: Record<Target, string> = {
  services: 'recording-request',
  workers: 'recording-request-workers',
};

/** The name and tag of what is built here. */
export const builtImage = (target: Target): string => `localhost/${NAMES[target]}:lab`;

/** Builds both images of the product from deploy/Dockerfile. Resolves to the seconds that it took. */
export async function buildProduct({ build, base }: Builder, { log }: Pick<InstallContext, 'log'>): Promise<number> {
  const began = Date.now();
  log('building the images from deploy/Dockerfile (the first time ffmpeg too: ten minutes) …');
  const progress = (_: number, last: string) => last.slice(0, 70);
  const file = join(ROOT, 'deploy/Dockerfile');
  for (const target of TARGETS) {
    const args = ['--build-arg', `NODE_IMAGE=${base}`, '--file', file, '--target', target, '--tag', builtImage(target)];
    await build(`building the image of the ${target}`, [...args, ROOT], { progress });
  }
  return Math.round((Date.now() - began) / 1000);
}
