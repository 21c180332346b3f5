import type { Context } from '../../context.ts';
import type { Submission } from '../../domain/clips/submission.ts';
import { responseCompleted } from '../../domain/clips/submission-changes.ts';

/**
 * Announces that an interview is complete when every answer is stored; names the answers that were not erased. Each
 * landing checks this after it has stored its own answer, so of two concurrent landings the later check finds both
 * answers. If a landing stops before this check, the sweeper runs it again.
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
    // A missing answer that is not landing was erased or has permanently failed, so no later landing will announce the
    // response.
    const landing = new Set(await uploads.landingQuestions(submission));
    const waiting = response.answers.filter(answer => missing.includes(answer.submissionId));
    if (waiting.some(answer => landing.has(answer.questionIndex))) return;
  }
  const submissionIds = answers.filter(id => !missing.includes(id));
  if (submissionIds.length === 0) return;
  await submissions.announce({ projectId, submissionId }, responseCompleted(submission, submissionIds));
}
