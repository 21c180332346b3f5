import { presentSubmission } from '@recording-request/contract/present';
import { webhookBody } from '@recording-request/contract/webhook';
import type { Event } from '@recording-request/proto/events/v1/events';
import type { Submission } from '@recording-request/proto/submissions/v1/submissions';
import type { Target, Targets } from '../adapters/targets.ts';
import { currentTrace } from '../adapters/trace.ts';
import type { NewDelivery } from '../domain/delivery.ts';
import type { Store } from '../store/store.ts';

export interface RecordDeps {
  store: Store;
  targets: Targets;
  /** The service's public address, without a slash at its end. */
  baseUrl: string;
  /** A delivery was recorded and is due. */
  recorded(delivery: { id: string; projectId: string }, target: Target): void;
}

/**
 * Records one delivery of an event about a submission, where its project has an address. The body's bytes are made here,
 * once. A repetition of the event changes nothing.
 */
export async function recordEvent(
  event: Event,
  submission: Submission,
  { store, targets, baseUrl, recorded }: RecordDeps,
  signal: AbortSignal,
): Promise<void> {
  const { projectId, submissionId } = submission;
  const [target, erased] = await Promise.all([targets.of(projectId, signal), store.ledger.isErased(submission)]);
  if (!target || target.url === '' || erased) return;
  const createdAt = event.occurredAt ?? new Date();
  const body = webhookBody({
    id: event.id,
    type: event.type,
    createdAt,
    projectId,
    projectName: target.projectName,
    submission: presentSubmission(submission, { baseUrl, projectName: target.projectName }),
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
  if (!(await store.queue.insert(delivery, new Date()))) return;
  // An erasure that came in between did not see this delivery.
  if (await store.ledger.isErased(delivery)) await store.ledger.erase(projectId, submissionId, new Date());
  else recorded(delivery, target);
}
