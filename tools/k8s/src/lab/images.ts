import { copyFile, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstallContext } from '@recording-request/stack/install/context';
import { openBuilder } from '../images/builder.ts';
import { buildPrevious, buildProduct, builtImage, TARGETS } from '../images/product.ts';
import type { Place } from './place.ts';
import type { Programs } from './programs.ts';

const PAUSE_IMAGE = 'localhost/pause:3.10';

/** The files to import, and the build time of the product's images. */
export interface Images {
  files: string[];
  /** The uncompressed size of the product's two images; shared layers count twice. */
  bytes: number;
  seconds: number;
}

/**
 * Builds the product's images from its Dockerfile, the images of the version in `previous`, and the pause image that a node
 * needs.
 */
export async function buildImages(
  place: Place,
  { programs, previous }: { programs: Programs; previous?: string | undefined },
  context: InstallContext,
): Promise<Images> {
  const builder = await openBuilder(place, context);
  const seconds = await buildProduct(builder, context);
  const others = previous ? await buildPrevious(builder, previous, context) : [];
  await builder.build('building an image', ['--tag', PAUSE_IMAGE, await pauseContext(place.run, programs)]);
  const files: string[] = [];
  let bytes = 0;
  const own = TARGETS.map(target => builtImage(target));
  for (const image of [...own, ...others, PAUSE_IMAGE]) {
    const file = join(place.run, `image-${files.length}.tar`);
    await rm(file, { force: true });
    await builder.buildah('exporting an image', ['push', image, `docker-archive:${file}:${image}`]);
    files.push(file);
    if (own.includes(image)) bytes += (await stat(file)).size;
  }
  return { files, bytes, seconds };
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
