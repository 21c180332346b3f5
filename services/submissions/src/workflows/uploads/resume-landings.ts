import { createFairSlots } from '@recording-request/kit/fair-slots';
import { isBusy } from '../../domain/uploads/landing.ts';
import type { Upload } from '../../domain/uploads/upload.ts';
import { type LandContext, resumeLanding } from './land-upload.ts';

const BATCH = 100;
const AT_ONCE = 8;
const ROUNDS = 5;
// The time limit per owner and turn: an owner's landings may take long, and other owners wait.
const OWNER_MS = 10_000;

/**
 * Lands complete uploads whose request died, and retries failed landings that are due. When an owner has used its time,
 * or the media service has no slot for it, the owner's other uploads wait for the next turn, and this turn continues
 * with other owners.
 */
export async function resumeLandings(context: LandContext): Promise<void> {
  const { uploads } = context;
  for (const upload of await uploads.complete(BATCH)) await uploads.finish(upload);
  const busy = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const due = await uploads.due(BATCH, [...busy]);
    await landAll(context, due, busy);
    if (due.length < BATCH || busy.size === 0) return;
  }
}

async function landAll(context: LandContext, due: Upload[], busy: Set<string>): Promise<void> {
  const slots = createFairSlots(AT_ONCE, { queued: 2 * BATCH });
  const { signal } = new AbortController();
  const begunAt = new Map<string, number>();
  const land = async (upload: Upload) => {
    const { ownerId } = upload;
    using _slot = await slots.take([ownerId], signal);
    if (busy.has(ownerId)) return;
    const begun = begunAt.get(ownerId) ?? performance.now();
    begunAt.set(ownerId, begun);
    if (performance.now() - begun > OWNER_MS) return void busy.add(ownerId);
    // The failure is already recorded and delays the next try.
    await resumeLanding(context, upload).catch(error => {
      if (isBusy(error)) busy.add(ownerId);
    });
  };
  await Promise.all(due.map(land));
}
