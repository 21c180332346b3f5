import { DomainError } from '@recording-request/kit/errors';
import type { Submission } from '../../domain/clips/submission.ts';
import type { Upload } from '../../domain/uploads/upload.ts';
import type { LinkOfProject } from '../../store/erasures.ts';
import { BATCH, type EraseContext, eraseSubmission } from './erase-submission.ts';
import { purgeUploads } from './purge-uploads.ts';

/**
 * If the project or the link of a submission was erased while the clip landed, erases the submission and counts it for
 * the owner. Returns true if it erased the submission.
 */
export async function eraseIfProjectIs(
  context: EraseContext,
  { id, projectId, linkId }: Pick<Submission, 'id' | 'projectId' | 'linkId'>,
): Promise<boolean> {
  const { erasures } = context;
  const erasure = await erasures.erasureOf({ projectId, linkId });
  if (!erasure) return false;
  if (erasure.link) await erasures.addSubmissions(erasure.id, [id]);
  const { tally } = await eraseSubmission(context, id);
  if (erasure.owned) await erasures.addRemoved(erasure.id, { removed: tally });
  return true;
}

/** Removes an upload that was just stored in an erased project or for an erased link, and fails with `not_found`. */
export async function refuseErased(
  context: Pick<EraseContext, 'erasures' | 'objects'>,
  { projectId, linkId }: Upload,
): Promise<never> {
  await purgeUploads(context, await context.erasures.emptyUploads({ projectId, linkId }, BATCH));
  throw noSuchLink();
}

/** If the project or the link is erased, removes a note that was just stored, and fails with `not_found`. */
export async function refuseNoteIfErased(
  { erasures }: Pick<EraseContext, 'erasures'>,
  link: LinkOfProject,
): Promise<void> {
  if (!(await erasures.erasureOf(link))) return;
  await erasures.removeNotes(link);
  throw noSuchLink();
}

const noSuchLink = () => new DomainError('not_found', 'This recording link does not exist any more.');
