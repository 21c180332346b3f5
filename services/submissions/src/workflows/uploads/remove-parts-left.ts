import type { Context } from '../../context.ts';
import { removeParts } from './upload-bytes.ts';

const BATCH = 100;
const AT_ONCE = 10;
// The time limit of each turn, so that the other steps of the sweeper can run.
const TURN_MS = 2_000;
// This many failures show a problem of the store, not of single objects.
const FAILURES_MAX = 10;

/**
 * Removes the parts of landed uploads. While a backup runs, leaves them for a later turn. The landing does not remove
 * them, because its client would have to wait.
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
    const landed = await uploads.takePartsLeft(BATCH);
    // Check the hold only after the read of the uploads: a backup that started before the read may still need their
    // parts.
    if (landed.length > 0 && (await backupHold.isHeld())) return;
    for (let at = 0; at < landed.length; at += AT_ONCE) {
      await Promise.all(
        landed.slice(at, at + AT_ONCE).map(async key => {
          try {
            await removeParts(objects, key);
            await uploads.partsRemoved(key);
          } catch (error) {
            // If the store cannot remove one object, continue with the others.
            failures += 1;
            log.warn(
              { err: error, uploadId: key.id },
              'The parts of a landed upload could not be removed; a later turn retries',
            );
          }
        }),
      );
      if (failures >= FAILURES_MAX) return;
    }
    if (landed.length < BATCH) return;
  }
}
