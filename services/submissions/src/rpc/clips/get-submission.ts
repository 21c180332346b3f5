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

/** Returns the submission. Fails with `not_found` for a missing submission and for a submission of another owner. */
export function found<T extends Pick<Submission, 'id'>>(submission: T | undefined): T {
  if (!submission) throw new DomainError('not_found', 'There is no such submission in this project.');
  return submission;
}
