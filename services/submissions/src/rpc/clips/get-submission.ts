import { DomainError } from '@recording-request/kit/errors';
import type { GetSubmissionRequest, GetSubmissionResponse } from '@recording-request/proto/submissions/v1/submissions';
import type { Context } from '../../context.ts';
import type { Submission } from '../../domain/clips/submission.ts';
import { toMessage } from '../../messages.ts';

export const getSubmission =
  ({ submissions }: Pick<Context, 'submissions'>) =>
  async ({ ownerId, projectId, submissionId }: GetSubmissionRequest): Promise<GetSubmissionResponse> => ({
    submission: toMessage(found(await submissions.find(ownerId, projectId, submissionId))),
  });

/** The submission, or fails with `not_found`: another owner's looks exactly like a missing one. */
export function found<T extends Pick<Submission, 'id'>>(submission: T | undefined): T {
  if (!submission) throw new DomainError('not_found', 'There is no such submission in this project.');
  return submission;
}
