import { sampleSubject } from '@recording-request/contract/sample-event';
import { webhookBody } from '@recording-request/contract/webhook';
import type { WebhookEventType } from '@recording-request/contract/webhook-events';
import { DomainError } from '@recording-request/kit/errors';
import type { FairSlots } from '@recording-request/kit/fair-slots';
import { uuidv7 } from '@recording-request/kit/ids';
import { currentTrace } from '../adapters/trace.ts';
import type { Context } from '../context.ts';
import { leaseMs, withEndpoint } from '../delivery/deliver.ts';
import { type DeliveryRecord, TEST_EVENT } from '../domain/delivery.ts';
import { sealedFor } from '../domain/sealing.ts';

/**
 * Sends an event with sample contents to a project's endpoint. Returns the delivery with its outcome. Fails with
 * `too_many` when the owner already uses its full share of `slots`, and with `conflict` while all webhooks are paused.
 */
export async function sendTestEvent(
  context: Context,
  projectId: string,
  type: WebhookEventType,
  slots: FairSlots,
): Promise<DeliveryRecord | undefined> {
  const { config, clock, secrets, store, targets, sending, dispatcher } = context;
  const target = await targets.of(projectId);
  if (!target) throw new DomainError('not_found', 'There is no such project.');
  if (target.url === '')
    throw new DomainError('conflict', 'The project has no webhookUrl; set one first.', {
      reason: 'webhook_url_missing',
    });
  if (sending.current().isPaused)
    throw new DomainError('conflict', 'The operator has paused all webhooks. Your events wait; try the test later.', {
      reason: 'webhooks_paused',
    });
  using slot = slots.tryTake([target.ownerId]);
  if (!slot)
    throw new DomainError('too_many', 'Too many test events are being sent; wait for their answers.', {
      retryAfterSec: 5,
    });
  const id = uuidv7();
  const createdAt = clock.now();
  const { projectName, sandbox } = target;
  // No record has these ids, so a receiver that requests one gets 404.
  const sample = sampleSubject(type, {
    baseUrl: config.publicBaseUrl,
    projectId,
    projectName,
    at: createdAt,
    id: uuidv7,
  });
  const body = JSON.stringify(webhookBody({ id, createdAt, projectId, projectName, sandbox }, sample));
  const shown = type === TEST_EVENT ? {} : { sentAs: type };
  const trace = currentTrace({ traceparent: '', tracestate: '' });
  const claimed = await store.queue.insertClaimed(
    {
      id,
      projectId,
      ownerId: target.ownerId,
      submissionId: '',
      eventType: TEST_EVENT,
      ...shown,
      createdAt,
      sealedBody: secrets.seal(body, sealedFor.delivery(id)),
      ...trace,
    },
    { leaseUntil: new Date(createdAt.getTime() + leaseMs(config)), forced: true },
  );
  // If this read fails, the attempt reads again.
  const seen = await withEndpoint(context, projectId, target).catch(() => undefined);
  // The id is new, so the claim always succeeds.
  const { resumed } = await dispatcher.sendNow(claimed!, seen);
  if (resumed) dispatcher.wake();
  return store.ledger.get(projectId, id);
}
