import type {
  EraseProjectDeliveriesRequest,
  EraseProjectDeliveriesResponse,
} from '@recording-request/proto/operator/v1/webhooks';
import type { Context } from '../context.ts';
import { eraseProjectEvents, tallyEvents } from '../workflows/erase-events.ts';
import { requireUuid } from './require-uuid.ts';

/** Erases every payload of a project, the data of its events in the feed, and the health of its endpoint. */
export const eraseProjectDeliveries =
  (context: Pick<Context, 'clock' | 'store'>) =>
  async (request: EraseProjectDeliveriesRequest): Promise<EraseProjectDeliveriesResponse> => {
    const projectId = requireUuid(request.projectId, 'projectId');
    if (request.dryRun) return { erased: await tallyEvents(context, { projectId }) };
    return { erased: await eraseProjectEvents(context, projectId) };
  };
