import type { Context } from '../context.ts';
import { resumeProjectErasure } from './erasure/erase-project.ts';
import { expireSubmissions } from './erasure/expire-submissions.ts';
import { purgeAgain } from './erasure/purge-again.ts';
import { removeArchives } from './exports/end-archives.ts';
import { mapSettled } from './map-settled.ts';
import { endHolds, removeKept } from './uploads/end-holds.ts';
import { removePartsLeft } from './uploads/remove-parts-left.ts';
import { resumeLandings } from './uploads/resume-landings.ts';

// What a contributor waits for comes first.
const STEPS: ((context: Context) => Promise<void>)[] = [
  resumeLandings,
  endHolds,
  removeKept,
  purgeAgain,
  resumeProjectErasure,
  expireSubmissions,
  removeArchives,
  removePartsLeft,
];

/**
 * Continues what stopped midway, in any process and at any line. Every replica runs it, and every turn can be repeated. What
 * one step alone needs, as the projects service, keeps no other from its turn; with the database or the store away the turn ends.
 */
export async function sweep(context: Context, steps = STEPS): Promise<void> {
  await mapSettled(steps, step => step(context));
}
