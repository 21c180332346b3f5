import type {
  EraseSubmissionDeliveriesRequest,
  EraseSubmissionDeliveriesResponse,
} from '@recording-request/proto/operator/v1/webhooks';
import type { Context } from '../context.ts';
import { eraseEvents, tallyEvents } from '../workflows/erase-events.ts';
import { requireUuid } from './require-uuid.ts';

/** Does the same as the consumer of submission.erased, for an operator who waits for the result. */
export const eraseSubmissionDeliveries =
  (context: Pick<Context, 'clock' | 'store'>) =>
  async (request: EraseSubmissionDeliveriesRequest): Promise<EraseSubmissionDeliveriesResponse> => {
    const projectId = requireUuid(request.projectId, 'projectId');
    const submissionId = requireUuid(request.submissionId, 'submissionId');
    return { erased: await (request.dryRun ? tallyEvents : eraseEvents)(context, { projectId, submissionId }) };
  };
