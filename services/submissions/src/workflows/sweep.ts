import type { Context } from '../context.ts';
import { resumeProjectErasure } from './erasure/erase-project.ts';
import { expireSubmissions } from './erasure/expire-submissions.ts';
import { purgeAgain } from './erasure/purge-again.ts';
import { removeArchives } from './exports/end-archives.ts';
import { mapSettled } from './map-settled.ts';
import { endHolds, removeKept } from './uploads/end-holds.ts';
import { removePartsLeft } from './uploads/remove-parts-left.ts';
import { resumeLandings } from './uploads/resume-landings.ts';

type Step = (context: Context) => Promise<void>;

/** The steps that contributors wait for. */
export const URGENT: Step[] = [resumeLandings];

/** The steps that can wait for half a minute. */
export const SELDOM: Step[] = [
  endHolds,
  removeKept,
  purgeAgain,
  resumeProjectErasure,
  expireSubmissions,
  removeArchives,
  removePartsLeft,
];

/**
 * Continues work that stopped midway in any process. Every replica runs it, and every turn can be repeated. A step
 * that fails, for example because the projects service is down, does not stop the others; an outage of the database or
 * the store ends the turn.
 */
export async function sweep(context: Context, steps = [...URGENT, ...SELDOM]): Promise<void> {
  await mapSettled(steps, step => step(context));
}
