import { webhookBody } from '@recording-request/contract/webhook';
import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import { currentTrace } from '../adapters/trace.ts';
import type { Context } from '../context.ts';
import { type DeliveryRecord, TEST_EVENT } from '../domain/delivery.ts';
import { leaseMs } from './deliver.ts';

/** Sends a test event to a project's endpoint and returns the delivery with its outcome. */
export async function sendTestEvent(
  { config, clock, store, targets, dispatcher }: Context,
  projectId: string,
): Promise<DeliveryRecord | undefined> {
  const target = await targets.of(projectId);
  if (!target) throw new DomainError('not_found', 'There is no such project.');
  if (target.url === '')
    throw new DomainError('conflict', 'The project has no webhookUrl; set one first.', {
      reason: 'webhook_url_missing',
    });
  const id = uuidv7();
  const createdAt = clock.now();
  const event = { id, type: TEST_EVENT, createdAt, projectId, projectName: target.projectName, submission: null };
  const body = Buffer.from(JSON.stringify(webhookBody(event)));
  const trace = currentTrace({ traceparent: '', tracestate: '' });
  const claimed = await store.queue.insertClaimed(
    { id, projectId, submissionId: '', eventType: TEST_EVENT, createdAt, body, ...trace },
    new Date(createdAt.getTime() + leaseMs(config)),
  );
  const { resumed } = await dispatcher.sendNow(claimed, target);
  if (resumed) dispatcher.wake();
  return store.ledger.get(projectId, id);
}
