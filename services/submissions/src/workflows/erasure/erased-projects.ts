import { DomainError } from '@recording-request/kit/errors';
import type { Submission } from '../../domain/clips/submission.ts';
import type { Upload } from '../../domain/uploads/upload.ts';
import { BATCH, type EraseContext, eraseSubmission } from './erase-submission.ts';
import { purgeUploads } from './purge-uploads.ts';

/**
 * Erases a submission that was just stored if its project was erased meanwhile, and counts it for the owner. Returns whether
 * the project was erased.
 */
export async function eraseIfProjectIs(
  context: EraseContext,
  { id, projectId }: Pick<Submission, 'id' | 'projectId'>,
): Promise<boolean> {
  const project = await context.erasures.findProject(projectId);
  if (!project) return false;
  const { tally } = await eraseSubmission(context, id);
  if (project.owned) await context.erasures.addRemoved(projectId, { removed: tally });
  return true;
}

/** Removes an upload that was just stored in an erased project, and fails with `not_found`. */
export async function refuseErased(
  context: Pick<EraseContext, 'erasures' | 'objects'>,
  { projectId }: Upload,
): Promise<never> {
  await purgeUploads(context, await context.erasures.emptyUploads({ projectId }, BATCH));
  throw noSuchLink();
}

/** If the project is erased, removes a note that was just stored, and fails with `not_found`. */
export async function refuseNoteIfErased(
  { erasures }: Pick<EraseContext, 'erasures'>,
  projectId: string,
): Promise<void> {
  if (!(await erasures.findProject(projectId))) return;
  await erasures.removeNotes({ projectId });
  throw noSuchLink();
}

const noSuchLink = () => new DomainError('not_found', 'This recording link does not exist any more.');
