import { isWebhookEvent, WEBHOOK_EVENTS } from '@recording-request/contract/webhook-events';
import { DomainError } from '@recording-request/kit/errors';
import { createFairSlots } from '@recording-request/kit/fair-slots';
import type { SendTestRequest, SendTestResponse } from '@recording-request/proto/webhooks/v1/webhooks';
import type { Context } from '../context.ts';
import { TEST_EVENT } from '../domain/delivery.ts';
import { sendTestEvent } from '../workflows/send-test-event.ts';
import { toDelivery } from './delivery-messages.ts';
import { requireUuid } from './require-uuid.ts';

/** The maximum number of concurrent test events in this process; one owner gets at most half of them. */
export const TESTS_AT_ONCE = 32;

/** Sends a test event and returns its outcome. A project can have only one running test event. */
export const sendTest = (context: Context) => {
  const sending = new Set<string>();
  const slots = createFairSlots(TESTS_AT_ONCE);
  return async (request: SendTestRequest): Promise<SendTestResponse> => {
    const projectId = requireUuid(request.projectId, 'projectId');
    const type = request.eventType || TEST_EVENT;
    if (!isWebhookEvent(type)) throw new DomainError('invalid', `type must be one of ${WEBHOOK_EVENTS.join(', ')}.`);
    if (sending.has(projectId))
      throw new DomainError('too_many', 'A test event of this project is being sent; wait for its answer.');
    sending.add(projectId);
    try {
      const delivery = await sendTestEvent(context, projectId, type, slots);
      return { delivery: delivery && toDelivery(delivery) };
    } finally {
      sending.delete(projectId);
    }
  };
};
