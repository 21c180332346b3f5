import type { Context } from '../context.ts';
import { sumOf, type Tally, tallyOf } from '../domain/erasure.ts';
import { uploadPrefix } from '../domain/object-keys.ts';

/** Removes the parts of emptied uploads. The sweeper deletes what is left of their rows. */
export async function purgeUploads(
  { objects, erasures }: Pick<Context, 'objects' | 'erasures'>,
  ids: string[],
): Promise<Tally> {
  const tallies: Partial<Tally>[] = [];
  for (const id of ids) tallies.push({ uploads: 1, ...tallyOf(await objects.purge(uploadPrefix(id))) });
  await erasures.uploadsPurged(ids);
  return sumOf(tallies);
}
