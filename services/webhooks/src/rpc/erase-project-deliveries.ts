import type {
  EraseProjectDeliveriesRequest,
  EraseProjectDeliveriesResponse,
} from '@recording-request/proto/operator/v1/webhooks';
import type { Context } from '../context.ts';
import { requireUuid } from './require-uuid.ts';

/** Erases every payload of a project and the health of its endpoint. */
export const eraseProjectDeliveries =
  ({ clock, store }: Context) =>
  async (request: EraseProjectDeliveriesRequest): Promise<EraseProjectDeliveriesResponse> => {
    const projectId = requireUuid(request.projectId, 'projectId');
    if (request.dryRun) return { erased: await store.ledger.tally({ projectId }) };
    const erased = await store.ledger.eraseProject(projectId, clock.now());
    await store.endpoints.remove(projectId);
    return { erased };
  };
