import type {
  EraseProjectDeliveriesRequest,
  EraseProjectDeliveriesResponse,
} from '@recording-request/proto/operator/v1/webhooks';
import type { Store } from '../store/store.ts';
import { uuid } from './require-uuid.ts';

/** Every payload of a project, and how its endpoint does. */
export const eraseProjectDeliveries =
  ({ ledger, endpoints }: Store) =>
  async (request: EraseProjectDeliveriesRequest): Promise<EraseProjectDeliveriesResponse> => {
    const projectId = uuid(request.projectId, 'projectId');
    if (request.dryRun) return { erased: await ledger.tally({ projectId }) };
    const erased = await ledger.eraseProject(projectId, new Date());
    await endpoints.forget(projectId);
    return { erased };
  };
