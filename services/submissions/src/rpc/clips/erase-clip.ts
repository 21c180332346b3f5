import { DomainError } from '@recording-request/kit/errors';
import type { EraseClipRequest, EraseClipResponse } from '@recording-request/proto/submissions/v1/submissions';
import type { Context } from '../../context.ts';
import { eraseSubmission } from '../operator/erase-submission.ts';

/** Does the same as the operator's erasure, for a clip of one project. */
export const eraseClip =
  (context: Context) =>
  async ({ projectId, submissionId, dryRun }: EraseClipRequest): Promise<EraseClipResponse> => {
    const found = await context.erasures.find(submissionId);
    if (found?.projectId !== projectId) throw new DomainError('not_found', 'There is no such submission.');
    return { erased: await eraseSubmission(context)({ submissionId, dryRun }) };
  };
