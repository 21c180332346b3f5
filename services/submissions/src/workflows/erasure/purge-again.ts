import { BATCH, type EraseContext, purgeSubmission, RESUME_MS } from './erase-submission.ts';

/** Removes what came late for submissions that were erased, and finishes erasures that stopped midway. */
export async function purgeAgain(context: EraseContext): Promise<void> {
  const { log, erasures } = context;
  for (let taken = 0; taken < BATCH; taken++) {
    const submission = await erasures.takeDue(RESUME_MS);
    if (!submission) break;
    const { id: submissionId, projectId } = submission;
    try {
      const { objects, uploads } = await purgeSubmission(context, submission, submission.erasedAt!);
      if (objects + uploads > 0) log.info({ projectId, submissionId, objects }, 'What came late was removed');
    } catch (error) {
      // One that the object store keeps must not keep the others waiting.
      log.warn({ err: error, projectId, submissionId }, 'What came late is left to a later turn');
    }
  }
}
