import type {
  EraseSubmissionDeliveriesRequest,
  EraseSubmissionDeliveriesResponse,
} from '@recording-request/proto/operator/v1/webhooks';
import type { Context } from '../context.ts';
import { requireUuid } from './require-uuid.ts';

/** Does the same as the consumer of submission.erased, for an operator who waits for the result. */
export const eraseSubmissionDeliveries =
  ({ clock, store }: Context) =>
  async (request: EraseSubmissionDeliveriesRequest): Promise<EraseSubmissionDeliveriesResponse> => {
    const projectId = requireUuid(request.projectId, 'projectId');
    const submissionId = requireUuid(request.submissionId, 'submissionId');
    const erased = request.dryRun
      ? await store.ledger.tally({ projectId, submissionId })
      : await store.ledger.erase(projectId, submissionId, clock.now());
    return { erased };
  };
