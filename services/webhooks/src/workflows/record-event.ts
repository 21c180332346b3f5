import { presentSubmission } from '@recording-request/contract/present';
import { webhookBody } from '@recording-request/contract/webhook';
import type { Event } from '@recording-request/proto/events/v1/events';
import type { Submission } from '@recording-request/proto/submissions/v1/submissions';
import { currentTrace } from '../adapters/trace.ts';
import type { Context } from '../context.ts';
import type { NewDelivery } from '../domain/delivery.ts';

/**
 * Records one delivery of an event about a submission if its project has an address, and sends it. The body's bytes are
 * made here, once. A repetition of the event changes nothing.
 */
export async function recordEvent(
  { config, clock, store, targets, dispatcher }: Context,
  event: Event,
  submission: Submission,
  signal: AbortSignal,
): Promise<void> {
  const { projectId, submissionId } = submission;
  const [target, erased] = await Promise.all([targets.of(projectId, signal), store.ledger.isErased(submission)]);
  if (!target || target.url === '' || erased) return;
  const { projectName } = target;
  const createdAt = event.occurredAt ?? clock.now();
  const body = webhookBody({
    id: event.id,
    type: event.type,
    createdAt,
    projectId,
    projectName,
    submission: presentSubmission(submission, { baseUrl: config.publicBaseUrl, projectName }),
  });
  const delivery: NewDelivery = {
    id: event.id,
    projectId,
    submissionId,
    eventType: event.type,
    createdAt,
    body: Buffer.from(JSON.stringify(body)),
    ...currentTrace(event),
  };
  if (!(await store.queue.insert(delivery, clock.now()))) return;
  // An erasure that came in between did not see this delivery.
  if (await store.ledger.isErased(delivery)) await store.ledger.erase(projectId, submissionId, clock.now());
  else dispatcher.offer(delivery, target);
}
