import { openScratch } from '@recording-request/harness/scratch';
import type { InstallContext } from '@recording-request/stack/install/context';
import { placeIn } from '../lab/place.ts';
import { openBuilder } from './builder.ts';
import { buildCheck } from './product.ts';

/** Builds the image that checks overlays and values, for its test. Only root can build images. */
export async function ensureCheckImage(context: InstallContext): Promise<void> {
  if (process.getuid?.() !== 0) return;
  await using scratch = await openScratch('check-image');
  await buildCheck(await openBuilder(placeIn(scratch.path, context.env), context), context);
}
