import { presentSubmission } from '@recording-request/contract/present';
import { type WebhookBodyJson, type WebhookSubject, webhookBody } from '@recording-request/contract/webhook';
import { isOptionalEvent } from '@recording-request/contract/webhook-events';
import type { Event } from '@recording-request/proto/events/v1/events';
import type { Submission } from '@recording-request/proto/submissions/v1/submissions';
import type { Target } from '../adapters/targets.ts';
import { currentTrace } from '../adapters/trace.ts';
import type { Context } from '../context.ts';
import { leaseMs, withEndpoint } from '../delivery/deliver.ts';
import type { NewDelivery } from '../domain/delivery.ts';
import type { Endpoint } from '../domain/endpoint.ts';
import { sealedFor } from '../domain/sealing.ts';
import { publishToFeed } from './publish-event.ts';

/** The facts of an event, and the submission or the origin whose erasure removes the event's body. */
export interface Fact extends Pick<NewDelivery, 'projectId' | 'submissionId' | 'erasedSubmissionId' | 'origin'> {
  type: WebhookSubject['type'];
  /** The link that the event is about, if any. */
  tokenId?: string;
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
  tokenId: submission.linkId,
  async subject({ projectName, hasInvitations }) {
    const whole = await read();
    if (!whole) return undefined;
    const invitation = hasInvitations ? await targets.invitationOf(whole) : undefined;
    const context = { baseUrl: config.publicBaseUrl, projectName, invitation };
    return { type: type as SubmissionFact, submission: presentSubmission(whole, context) };
  },
});

/**
 * Publishes an event for its owner's feed. Also records one delivery if the project has an address and subscribes to
 * the type; if a slot is free, records it as claimed and sends it at once. Builds the data once for both. A repeated
 * event changes nothing.
 */
export async function recordEvent(context: Context, event: EventHead, fact: Fact): Promise<void> {
  const { clock, store, targets } = context;
  const { type, projectId, submissionId, erasedSubmissionId, origin, tokenId = '' } = fact;
  // Reads a target that is at least as new as the event, so that an event after an address change never goes to the old
  // address.
  const ageMs = event.occurredAt ? clock.now().getTime() - event.occurredAt.getTime() : 0;
  const [target, { isErased, endpoint }] = await Promise.all([
    targets.recent(projectId, ageMs),
    store.ledger.look(fact),
  ]);
  // The project was erased, and its events with it.
  if (!target) return;
  const createdAt = event.occurredAt ?? clock.now();
  const subject = isErased ? undefined : await fact.subject(target);
  const { projectName, sandbox } = target;
  const head = { id: event.id, createdAt, projectId, projectName, sandbox };
  const body = subject && webhookBody(head, subject);
  const about = { id: event.id, projectId, ownerId: target.ownerId, submissionId, createdAt };
  const erased = {
    ...(erasedSubmissionId === undefined ? {} : { erasedSubmissionId }),
    ...(origin === undefined ? {} : { origin }),
  };
  const data =
    body && isWanted(target, type)
      ? await deliverOnce(context, { ...about, ...erased, eventType: type, ...currentTrace(event) }, body, {
          target,
          endpoint,
        })
      : body?.data;
  await publishToFeed(context, { ...about, ...erased, type, tokenId }, data);
}

const isWanted = ({ url, events }: Target, type: string): boolean =>
  url !== '' && (!isOptionalEvent(type) || events.includes(type));

/**
 * Records a delivery. Returns the data of the recorded body, so that the feed gets the same data as the webhook: for a
 * repeated event, this is the earlier body. Returns undefined if the body was erased.
 */
async function deliverOnce(
  context: Context,
  about: Omit<NewDelivery, 'sealedBody'>,
  body: WebhookBodyJson,
  known: { target: Target; endpoint: Endpoint | undefined },
): Promise<object | undefined> {
  const { config, clock, secrets, store, dispatcher } = context;
  const delivery = { ...about, sealedBody: secrets.seal(JSON.stringify(body), sealedFor.delivery(about.id)) };
  using place = dispatcher.reserve(delivery);
  if (!place) return (await recordDue(context, delivery)) ? body.data : await recordedData(context, delivery);
  const leaseUntil = new Date(clock.now().getTime() + leaseMs(config));
  const [claimed, seen] = await Promise.all([
    store.queue.insertClaimed(delivery, { leaseUntil, forced: false }),
    // If this read fails, the attempt reads again: the delivery is already recorded, so the failure must not stop it.
    withEndpoint(context, delivery.projectId, known.target, known.endpoint).catch(() => undefined),
  ]);
  if (!claimed) return await recordedData(context, delivery);
  // If the recording took longer than the lease, the next poll sends the delivery. The attempt checks for an erasure
  // again, because an erasure during the insert did not see this delivery.
  if (clock.now() < leaseUntil) place.send(claimed, seen);
  return body.data;
}

/** Returns the data of the body that was recorded earlier; undefined if it was erased. */
async function recordedData({ secrets, store }: Context, { projectId, id }: NewDelivery): Promise<object | undefined> {
  const sealedBody = await store.ledger.sealedBody(projectId, id);
  if (sealedBody === undefined) return undefined;
  return JSON.parse(secrets.open(sealedBody, sealedFor.delivery(id)).toString()).data;
}

/** Records a delivery that waits for a slot. Returns false if it was recorded before. */
async function recordDue({ clock, store, dispatcher }: Context, delivery: NewDelivery): Promise<boolean> {
  if (!(await store.queue.insert(delivery, clock.now()))) return false;
  // An erasure that ran during the insert did not see this delivery, so check again.
  if (await store.ledger.isErased(delivery)) await store.ledger.eraseDelivery(delivery);
  else dispatcher.offer(delivery);
  return true;
}
