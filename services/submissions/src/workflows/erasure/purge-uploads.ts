import type { Context } from '../../context.ts';
import { sumOf, type Tally, tallyOf } from '../../domain/erasure.ts';
import { uploadPrefix } from '../../domain/object-keys.ts';
import { mapSettled } from '../map-settled.ts';

/** Removes the parts of emptied uploads. The sweeper deletes the rows. */
export async function purgeUploads(
  { objects, erasures }: Pick<Context, 'objects' | 'erasures'>,
  ids: string[],
): Promise<Tally> {
  const tallies = await mapSettled(ids, async id => {
    const held = await objects.purge(uploadPrefix(id));
    // Records each purge separately, so that a failed purge does not make the others run again.
    await erasures.uploadsPurged([id]);
    return { uploads: 1, ...tallyOf(held) };
  });
  return sumOf(tallies);
}
