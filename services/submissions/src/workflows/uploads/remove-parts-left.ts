import type { Context } from '../../context.ts';
import { removeParts } from './upload-bytes.ts';

const BATCH = 100;
const AT_ONCE = 10;
// Of each turn, so that the other steps of the sweeper have theirs, however many wait.
const TURN_MS = 2_000;
// Then it is not one upload, but the store.
const FAILURES_MAX = 10;

/**
 * Removes the parts of uploads that have landed; after the backup that is being made at this moment, if one is. Not by the landing
 * itself: its client would wait for it, and so would what follows the landing.
 */
export async function removePartsLeft({
  log,
  uploads,
  objects,
  backupHold,
}: Pick<Context, 'log' | 'uploads' | 'objects' | 'backupHold'>): Promise<void> {
  const endsAt = performance.now() + TURN_MS;
  let failures = 0;
  while (performance.now() < endsAt) {
    if (await backupHold.isHeld()) return;
    const landed = await uploads.takePartsLeft(BATCH);
    // Once more, now that they have landed for certain: a backup that has begun since may know them as they were before.
    if (landed.length > 0 && (await backupHold.isHeld())) return;
    for (let at = 0; at < landed.length; at += AT_ONCE) {
      await Promise.all(
        landed.slice(at, at + AT_ONCE).map(async key => {
          try {
            await removeParts(objects, key);
            await uploads.partsRemoved(key);
          } catch (error) {
            // One that the object store keeps must not keep the others waiting.
            failures += 1;
            log.warn(
              { err: error, uploadId: key.id },
              'The parts of an upload that has landed are left to a later turn',
            );
          }
        }),
      );
      if (failures >= FAILURES_MAX) return;
    }
    if (landed.length < BATCH) return;
  }
}
