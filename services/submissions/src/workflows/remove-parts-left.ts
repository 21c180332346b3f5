import type { Context } from '../context.ts';
import { eachInTurn } from './each-in-turn.ts';
import { removeParts } from './upload-bytes.ts';

const BATCH = 100;
// Of one turn: the other steps have theirs as well.
const BATCHES = 20;
const AT_ONCE = 4;

/**
 * Removes the parts of uploads that have landed; after the backup that is being made at this moment, if one is. Not by the landing
 * itself: its client would wait for it, and so would what follows the landing.
 */
export async function removePartsLeft({
  uploads,
  objects,
  backupHold,
}: Pick<Context, 'uploads' | 'objects' | 'backupHold'>): Promise<void> {
  for (let batch = 0; batch < BATCHES; batch++) {
    if (await backupHold.isHeld()) return;
    const landed = await uploads.takePartsLeft(BATCH);
    // Once more, now that they have landed for certain: a backup that has begun since may know them as they were before.
    if (landed.length > 0 && (await backupHold.isHeld())) return;
    await eachInTurn(
      landed,
      async key => {
        await removeParts(objects, key);
        await uploads.partsRemoved(key);
      },
      { atOnce: AT_ONCE },
    );
    if (landed.length < BATCH) return;
  }
}
