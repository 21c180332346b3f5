import type { Context } from '../context.ts';
import { onResultOverdue } from '../domain/submission-changes.ts';

const BATCH = 100;

/** Requests overdue media and transcripts again, a bounded number of times. */
export async function askAgain({ config, submissions }: Pick<Context, 'config' | 'submissions'>): Promise<void> {
  const before = new Date(Date.now() - config.stuckSeconds * 1_000);
  for (const stuck of await submissions.stuck(before, BATCH)) {
    await submissions.change({ projectId: stuck.projectId, submissionId: stuck.id }, submission =>
      submission.askedAt < before ? onResultOverdue(submission, config.mediaAsksMax, new Date()) : undefined,
    );
  }
}
