import type { Context } from '../../context.ts';
import type { Tally } from '../../domain/erasure.ts';
import type { ErasedProject } from '../../store/erasures.ts';
import { eraseOwnedProject, tallyProject } from './erase-project.ts';
import { type EraseContext, RESUME_MS } from './erase-submission.ts';

type OwnContext = EraseContext & Pick<Context, 'kafka' | 'submissions'>;
type Owned = { ownerId: string; projectId: string };

/** The time for which a request works on an erasure, enough for a small project. The sweeper erases the rest. */
const FIRST_MS = 4_000;

/** Records the owner's erasure, then works on it for a short time. */
export async function beginErasure(context: OwnContext, owned: Owned): Promise<ErasedProject> {
  const { erasures, log } = context;
  const begun = await erasures.begin(owned, RESUME_MS);
  if (!begun.isNew) return begun;
  const { projectId } = owned;
  try {
    await eraseOwnedProject(context, begun, FIRST_MS);
  } catch (err) {
    log.warn({ err, projectId }, 'The erasure of a project stopped; a later turn of the sweeper continues it');
  }
  return (await erasures.findProject(projectId)) ?? begun;
}

/** Returns the erasure that this owner began, if there is one. */
export async function findErasure({ erasures }: OwnContext, owned: Owned): Promise<ErasedProject | undefined> {
  const found = await erasures.findProject(owned.projectId);
  return found?.owned?.ownerId === owned.ownerId ? found : undefined;
}

/** Counts the remaining data of a project whose erasure is done, here and in the projects service. */
export async function countRemaining(context: OwnContext, { ownerId, projectId }: Owned) {
  const [left, { counts: leftOfProject }] = await Promise.all([
    tallyProject(context, projectId),
    context.projects.eraseOwnedProject({ ownerId, projectId, dryRun: true }),
  ]);
  return { left, leftOfProject };
}

/**
 * Counts the data that an erasure would remove. Reads only the database, because a large project has a million objects
 * in the store.
 */
export async function countErasable(
  { erasures, submissions }: OwnContext,
  { ownerId, projectId }: Owned,
): Promise<Partial<Tally>> {
  const [counts, { bytes }] = await Promise.all([
    erasures.countOfProject(projectId),
    submissions.measure(ownerId, projectId),
  ]);
  return { ...counts, objectBytes: bytes };
}
