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

/** What there is to tell, and what its body is erased with. */
export interface Fact extends Pick<NewDelivery, 'projectId' | 'submissionId' | 'erasedSubmissionId'> {
  type: WebhookSubject['type'];
  /** Returns undefined where there is nothing to tell any more. */
  subject(target: Target): Promise<WebhookSubject | undefined> | WebhookSubject | undefined;
}

type SubmissionFact = Extract<WebhookSubject, { submission: unknown }>['type'];

/** The fact that an event states about a submission. */
export const aboutSubmission = (
  { config }: Pick<Context, 'config'>,
  type: string,
  submission: Submission,
  read: () => Promise<Submission | undefined> = async () => submission,
): Fact => ({
  type: type as SubmissionFact,
  projectId: submission.projectId,
  submissionId: submission.submissionId,
  async subject({ projectName }) {
    const whole = await read();
    if (!whole) return undefined;
    const context = { baseUrl: config.publicBaseUrl, projectName };
    return { type: type as SubmissionFact, submission: presentSubmission(whole, context) };
  },
});

/**
 * Records one delivery of an event if its project has an address and asks for its type, and sends it: at once where there is
 * a place, and then it is recorded as claimed. The body's bytes are made here, once. A repetition of the event changes nothing.
 */
export async function recordEvent(context: Context, event: Event, fact: Fact): Promise<void> {
  const { config, clock, store, targets, dispatcher } = context;
  const { type, projectId, submissionId, erasedSubmissionId } = fact;
  // As it was when this happened, or later: who set another address before is not told at the old one.
  const ageMs = event.occurredAt ? clock.now().getTime() - event.occurredAt.getTime() : 0;
  const asking = targets.recent(projectId, ageMs);
  // Most projects ask for no more than what always comes: of the rest nothing is looked up before that is known.
  if (isOptionalEvent(type) && !(await asking)?.events.includes(type)) return;
  const [target, erased] = await Promise.all([asking, store.ledger.isErased(fact)]);
  if (!target || target.url === '' || erased) return;
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
    body: Buffer.from(JSON.stringify(body)),
    ...currentTrace(event),
  };
  using place = dispatcher.reserve(delivery);
  if (!place) return recordDue(context, delivery);
  const leaseUntil = new Date(clock.now().getTime() + leaseMs(config));
  const [claimed, seen] = await Promise.all([
    store.queue.insertClaimed(delivery, { leaseUntil, forced: false }),
    // The attempt looks itself where this fails: the delivery is recorded, and waits for nothing else.
    withEndpoint(context, projectId, target).catch(() => undefined),
  ]);
  // Where recording it took longer than the lease it is due by now, and sent by who finds it so. The attempt looks again for an
  // erasure, which may not have seen this delivery.
  if (claimed && clock.now() < leaseUntil) place.send(claimed, seen);
}

/** Records a delivery that waits for its turn. */
async function recordDue({ clock, store, dispatcher }: Context, delivery: NewDelivery): Promise<void> {
  if (!(await store.queue.insert(delivery, clock.now()))) return;
  const { projectId, submissionId } = delivery;
  // An erasure that came in between did not see this delivery.
  if (!(await store.ledger.isErased(delivery))) dispatcher.offer(delivery);
  else if (submissionId === '') await store.ledger.eraseProject(projectId, clock.now());
  else await store.ledger.erase(projectId, submissionId, clock.now());
}
