import type { Context } from '../context.ts';
import { removeArchives } from './end-archives.ts';
import { endHolds, removeKept } from './end-holds.ts';
import { resumeProjectErasure } from './erase-project.ts';
import { expireSubmissions } from './expire-submissions.ts';
import { purgeAgain } from './purge-again.ts';
import { resumeLandings } from './resume-landings.ts';

/** Continues what stopped midway, in any process and at any line. Every replica runs it, and every turn can be repeated. */
export async function sweep(context: Context): Promise<void> {
  await resumeLandings(context);
  await endHolds(context);
  await removeKept(context);
  await purgeAgain(context);
  await resumeProjectErasure(context);
  await expireSubmissions(context);
  await removeArchives(context);
}
