import { presentSubmission } from '@recording-request/contract/present';
import { type WebhookSubject, webhookBody } from '@recording-request/contract/webhook';
import { isOptionalEvent } from '@recording-request/contract/webhook-events';
import type { Event } from '@recording-request/proto/events/v1/events';
import type { Submission } from '@recording-request/proto/submissions/v1/submissions';
import type { Target } from '../adapters/targets.ts';
import { currentTrace } from '../adapters/trace.ts';
import type { Context } from '../context.ts';
import { leaseMs, withEndpoint } from '../delivery/deliver.ts';
import type { NewDelivery } from '../domain/delivery.ts';
import { sealedFor } from '../domain/sealing.ts';

/** The facts of an event, and the submission whose erasure removes the event's body. */
export interface Fact extends Pick<NewDelivery, 'projectId' | 'submissionId' | 'erasedSubmissionId'> {
  type: WebhookSubject['type'];
  /** Returns undefined when the subject no longer exists. */
  subject(target: Target): Promise<WebhookSubject | undefined> | WebhookSubject | undefined;
}

type EventHead = Pick<Event, 'id' | 'occurredAt' | 'traceparent' | 'tracestate'>;
type SubmissionFact = Extract<WebhookSubject, { submission: unknown }>['type'];

/** Returns the facts of an event about a submission. */
export const aboutSubmission = (
  { config, targets }: Pick<Context, 'config' | 'targets'>,
  type: string,
  submission: Submission,
  read: () => Promise<Submission | undefined> = async () => submission,
): Fact => ({
  type: type as SubmissionFact,
  projectId: submission.projectId,
  submissionId: submission.submissionId,
  async subject({ projectName, hasInvitations }) {
    const whole = await read();
    if (!whole) return undefined;
    const invitation = hasInvitations ? await targets.invitationOf(whole) : undefined;
    const context = { baseUrl: config.publicBaseUrl, projectName, invitation };
    return { type: type as SubmissionFact, submission: presentSubmission(whole, context) };
  },
});

/**
 * Records one delivery of an event if its project has an address and subscribes to the type. If a slot is free, records
 * the delivery as claimed and sends it at once. Builds the bytes of the body only once. A repeated event changes
 * nothing.
 */
export async function recordEvent(context: Context, event: EventHead, fact: Fact): Promise<void> {
  const { config, clock, secrets, store, targets, dispatcher } = context;
  const { type, projectId, submissionId, erasedSubmissionId } = fact;
  // Reads a target that is at least as new as the event, so that an event after an address change never goes to the old
  // address.
  const ageMs = event.occurredAt ? clock.now().getTime() - event.occurredAt.getTime() : 0;
  const asking = targets.recent(projectId, ageMs);
  // Most projects subscribe to no optional types, so this is checked before the subject is read.
  if (isOptionalEvent(type) && !(await asking)?.events.includes(type)) return;
  const [target, { isErased, endpoint }] = await Promise.all([asking, store.ledger.look(fact)]);
  if (!target || target.url === '' || isErased) return;
  const subject = await fact.subject(target);
  if (!subject) return;
  const createdAt = event.occurredAt ?? clock.now();
  const body = webhookBody({ id: event.id, createdAt, projectId, projectName: target.projectName }, subject);
  const delivery: NewDelivery = {
    id: event.id,
    projectId,
    ownerId: target.ownerId,
    submissionId,
    ...(erasedSubmissionId === undefined ? {} : { erasedSubmissionId }),
    eventType: type,
    createdAt,
    sealedBody: secrets.seal(JSON.stringify(body), sealedFor.delivery(event.id)),
    ...currentTrace(event),
  };
  using place = dispatcher.reserve(delivery);
  if (!place) return recordDue(context, delivery);
  const leaseUntil = new Date(clock.now().getTime() + leaseMs(config));
  const [claimed, seen] = await Promise.all([
    store.queue.insertClaimed(delivery, { leaseUntil, forced: false }),
    // If this read fails, the attempt reads again, because the delivery is recorded and waits for nothing else.
    withEndpoint(context, projectId, target, endpoint).catch(() => undefined),
  ]);
  // If the recording took longer than the lease, the next poll sends the delivery. The attempt checks for an erasure
  // again, because an erasure may not have seen this delivery.
  if (claimed && clock.now() < leaseUntil) place.send(claimed, seen);
}

/** Records a delivery that waits for a slot. */
async function recordDue({ clock, store, dispatcher }: Context, delivery: NewDelivery): Promise<void> {
  if (!(await store.queue.insert(delivery, clock.now()))) return;
  const { projectId, submissionId } = delivery;
  // An erasure that ran during the insert did not see this delivery.
  if (!(await store.ledger.isErased(delivery))) dispatcher.offer(delivery);
  else if (submissionId === '') await store.ledger.eraseProject(projectId, clock.now());
  else await store.ledger.erase(projectId, submissionId, clock.now());
}
