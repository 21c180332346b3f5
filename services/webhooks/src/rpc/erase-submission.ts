import type { EraseSubmissionRequest, EraseSubmissionResponse } from '@recording-request/proto/webhooks/v1/webhooks';
import type { Store } from '../store/store.ts';
import { uuid } from './require-uuid.ts';

/** The same that submission.erased does, for an operator who waits for it. */
export const eraseSubmission =
  ({ ledger }: Store) =>
  async (request: EraseSubmissionRequest): Promise<EraseSubmissionResponse> => {
    const projectId = uuid(request.projectId, 'projectId');
    const submissionId = uuid(request.submissionId, 'submissionId');
    const erased = request.dryRun
      ? await ledger.tally({ projectId, submissionId })
      : await ledger.erase(projectId, submissionId, new Date());
    return { erased };
  };
