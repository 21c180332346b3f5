import { DomainError } from '@recording-request/kit/errors';
import type { GetSubmissionRequest, GetSubmissionResponse } from '@recording-request/proto/submissions/v1/submissions';
import { type Submission, toMessage } from '../domain/submission.ts';
import type { SubmissionStore } from '../store/submissions.ts';

export const getSubmission =
  (submissions: SubmissionStore) =>
  async ({ ownerId, projectId, submissionId }: GetSubmissionRequest): Promise<GetSubmissionResponse> => ({
    submission: toMessage(found(await submissions.find(ownerId, projectId, submissionId))),
  });

/** The submission, or NOT_FOUND: another owner's looks exactly like a missing one. */
export function found(submission: Submission | undefined): Submission {
  if (!submission) throw new DomainError('not_found', 'There is no such submission in this project.');
  return submission;
}
