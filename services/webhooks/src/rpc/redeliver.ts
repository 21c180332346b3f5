import { DomainError } from '@recording-request/kit/errors';
import type { RedeliverRequest, RedeliverResponse } from '@recording-request/proto/webhooks/v1/webhooks';
import { inRedeliverSpan } from '../adapters/trace.ts';
import type { Context } from '../context.ts';
import { toDelivery } from './delivery-messages.ts';
import { requireAddress } from './require-address.ts';
import { requireUuid } from './require-uuid.ts';

/** Makes one event due again, unless an attempt is running. Fails with `gone` when its body was erased or its key is lost. */
export const redeliver =
  (context: Context) =>
  async (request: RedeliverRequest): Promise<RedeliverResponse> => {
    const { config, clock, store, dispatcher } = context;
    const projectId = requireUuid(request.projectId, 'projectId');
    const id = requireUuid(request.deliveryId, 'deliveryId');
    const found = await store.ledger.get(projectId, id);
    if (!found) throw noSuchDelivery();
    if (config.secretsKeysLost.includes(found.keyId))
      throw new DomainError(
        'gone',
        'The operator has lost the key that decrypts this event; it cannot be sent again.',
        {
          reason: 'event_key_lost',
        },
      );
    if (found.sendable) await requireAddress(context, projectId);
    return await inRedeliverSpan({ ...found, ...found.trace }, async () => {
      const due = await store.ledger.sendAgain(projectId, id, clock.now());
      const delivery = await store.ledger.get(projectId, id);
      if (!delivery) throw noSuchDelivery();
      if (!delivery.sendable)
        throw new DomainError('gone', 'The submission was erased; what told of it cannot be sent again.', {
          reason: 'submission_erased',
        });
      if (due) dispatcher.offer(delivery);
      return { delivery: toDelivery(delivery) };
    });
  };

const noSuchDelivery = () => new DomainError('not_found', 'There is no such delivery in this project.');
