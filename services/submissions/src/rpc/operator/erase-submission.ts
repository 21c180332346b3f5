import type { EraseSubmissionRequest, EraseSubmissionResponse } from '@recording-request/proto/operator/v1/submissions';
import type { Context } from '../../context.ts';
import { eraseSubmission as erase, tallySubmission } from '../../workflows/erasure/erase-submission.ts';
import { recordsEndAt } from '../../workflows/erasure/kafka-retention.ts';

export const eraseSubmission =
  (context: Context) =>
  async ({ submissionId, dryRun }: EraseSubmissionRequest): Promise<EraseSubmissionResponse> => {
    const { projectId, tally, erasedBeforeAt, linkId } = await (dryRun ? tallySubmission : erase)(
      context,
      submissionId,
    );
    return { projectId, erased: tally, erasedBeforeAt, linkId, recordsEndAt: await recordsEndAt(context) };
  };
