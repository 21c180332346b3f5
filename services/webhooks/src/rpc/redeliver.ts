import { DomainError } from '@recording-request/kit/errors';
import type { RedeliverRequest, RedeliverResponse } from '@recording-request/proto/webhooks/v1/webhooks';
import type { Store } from '../store/store.ts';
import type { Dispatcher } from '../workflows/dispatch.ts';
import { presentDelivery } from './delivery-messages.ts';
import { uuid } from './require-uuid.ts';

/** Sends one event again, soon; one that is being sent right now is left to that. */
export const redeliver =
  ({ ledger }: Store, dispatcher: Dispatcher) =>
  async (request: RedeliverRequest): Promise<RedeliverResponse> => {
    const projectId = uuid(request.projectId, 'projectId');
    const id = uuid(request.deliveryId, 'deliveryId');
    const due = await ledger.sendAgain(projectId, id, new Date());
    const delivery = await ledger.get(projectId, id);
    if (!delivery) throw new DomainError('not_found', 'There is no such delivery in this project.');
    if (!delivery.sendable)
      throw new DomainError('gone', 'The submission was erased; what told of it cannot be sent again.');
    if (due) dispatcher.offer(delivery);
    return { delivery: presentDelivery(delivery) };
  };
