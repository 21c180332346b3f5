import type { Context } from '../context.ts';
import { resumeProjectErasures } from './erasure/erase-project.ts';
import { eraseEndedSandboxes } from './erasure/erase-sandboxes.ts';
import { expireInProjects } from './erasure/expire-in-projects.ts';
import { expireSubmissions } from './erasure/expire-submissions.ts';
import { purgeAgain } from './erasure/purge-again.ts';
import { removeArchives } from './exports/end-archives.ts';
import { mapSettled } from './map-settled.ts';
import { endHolds, removeKept } from './uploads/end-holds.ts';
import { removePartsLeft } from './uploads/remove-parts-left.ts';
import { resumeLandings } from './uploads/resume-landings.ts';

type Step = (context: Context) => Promise<void>;

/** The steps whose results contributors wait for. */
export const URGENT: Step[] = [resumeLandings];

/** The steps that can wait for half a minute. */
export const SLOW_STEPS: Step[] = [
  endHolds,
  removeKept,
  purgeAgain,
  resumeProjectErasures,
  expireSubmissions,
  expireInProjects,
  removeArchives,
  removePartsLeft,
  eraseEndedSandboxes,
];

/**
 * Continues work that was interrupted in any process. Every replica calls this, and every turn can be repeated. When a
 * step fails, for example because the projects service is down, the other steps still run. An outage of the database or
 * the object store ends the turn.
 */
export async function sweep(context: Context, steps = [...URGENT, ...SLOW_STEPS]): Promise<void> {
  await mapSettled(steps, step => step(context));
}
