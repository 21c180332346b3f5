import type {
  EraseLinkDeliveriesRequest,
  EraseLinkDeliveriesResponse,
} from '@recording-request/proto/operator/v1/webhooks';
import type { Context } from '../context.ts';
import { eraseEvents, tallyEvents } from '../workflows/erase-events.ts';
import { requireUuid } from './require-uuid.ts';

/** Does the same as the consumer of person.erased, for an operator who waits for the result. */
export const eraseLinkDeliveries =
  (context: Pick<Context, 'clock' | 'store'>) =>
  async (request: EraseLinkDeliveriesRequest): Promise<EraseLinkDeliveriesResponse> => {
    const projectId = requireUuid(request.projectId, 'projectId');
    const origin = requireUuid(request.linkId, 'linkId');
    return { erased: await (request.dryRun ? tallyEvents : eraseEvents)(context, { projectId, origin }) };
  };
