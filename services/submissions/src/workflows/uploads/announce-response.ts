import type { Context } from '../../context.ts';
import type { Submission } from '../../domain/clips/submission.ts';
import { responseCompleted } from '../../domain/clips/submission-changes.ts';

/**
 * Announces that an interview is whole, once every answer of it is stored, with those that were not erased since. Each
 * landing looks after it stored its own answer: of two that land at once, the one that looks last finds both. A landing that
 * stopped before this is done again.
 */
export async function announceResponse(
  { projects, submissions, uploads }: Pick<Context, 'projects' | 'submissions' | 'uploads'>,
  submission: Submission,
): Promise<void> {
  if (!submission.interview) return;
  const { id: submissionId, projectId, linkId, responseId } = submission;
  const { response } = await projects.getResponse({ linkId, responseSessionId: responseId });
  if (!response?.complete) return;
  const answers = response.answers.map(answer => answer.submissionId);
  const missing = await submissions.missing(projectId, answers);
  if (missing.length > 0) {
    // One that is not landing any more was erased long ago, or failed for good: nothing else will announce this.
    const landing = new Set(await uploads.landingQuestions(submission));
    const waiting = response.answers.filter(answer => missing.includes(answer.submissionId));
    if (waiting.some(answer => landing.has(answer.questionIndex))) return;
  }
  const submissionIds = answers.filter(id => !missing.includes(id));
  if (submissionIds.length === 0) return;
  await submissions.announce({ projectId, submissionId }, responseCompleted(submission, submissionIds));
}
