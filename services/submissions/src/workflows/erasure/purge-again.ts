import { BATCH, type EraseContext, purgeSubmission, RESUME_MS } from './erase-submission.ts';

/** Removes late results of erased submissions, and finishes interrupted erasures. */
export async function purgeAgain(context: EraseContext): Promise<void> {
  const { log, erasures } = context;
  for (let taken = 0; taken < BATCH; taken++) {
    const submission = await erasures.takeDue(RESUME_MS);
    if (!submission) break;
    const { id: submissionId, projectId } = submission;
    try {
      const { objects, uploads } = await purgeSubmission(context, submission, submission.erasedAt!);
      if (objects + uploads > 0)
        log.info({ projectId, submissionId, objects }, 'Late results of an erased submission were removed');
    } catch (error) {
      // If the store cannot remove one object, continue with the others.
      log.warn(
        { err: error, projectId, submissionId },
        'Late results of an erased submission could not be removed; a later turn retries',
      );
    }
  }
}
