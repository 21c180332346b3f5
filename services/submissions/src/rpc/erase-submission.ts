import type { EraseSubmissionRequest, EraseSubmissionResponse } from '@recording-request/proto/operator/v1/submissions';
import type { Eraser } from '../workflows/erase-submission.ts';

export const eraseSubmission =
  (eraser: Eraser) =>
  async ({ submissionId, dryRun }: EraseSubmissionRequest): Promise<EraseSubmissionResponse> => {
    const { projectId, tally, erasedBeforeAt } = await (dryRun
      ? eraser.tallySubmission(submissionId)
      : eraser.submission(submissionId));
    return { projectId, erased: tally, erasedBeforeAt, recordsEndAt: await eraser.recordsEndAt() };
  };
