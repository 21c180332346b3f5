import type {
  EraseSubmissionDeliveriesRequest,
  EraseSubmissionDeliveriesResponse,
} from '@recording-request/proto/operator/v1/webhooks';
import type { Store } from '../store/store.ts';
import { uuid } from './require-uuid.ts';

/** The same that submission.erased does, for an operator who waits for it. */
export const eraseSubmissionDeliveries =
  ({ ledger }: Store) =>
  async (request: EraseSubmissionDeliveriesRequest): Promise<EraseSubmissionDeliveriesResponse> => {
    const projectId = uuid(request.projectId, 'projectId');
    const submissionId = uuid(request.submissionId, 'submissionId');
    const erased = request.dryRun
      ? await ledger.tally({ projectId, submissionId })
      : await ledger.erase(projectId, submissionId, new Date());
    return { erased };
  };
