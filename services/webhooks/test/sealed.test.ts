import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type ReceivedRequest, type Receiver, startReceiver } from '@recording-request/harness/webhook-receiver';
import { uuidv7 } from '@recording-request/kit/ids';
import { createSecretBox } from '@recording-request/kit/secret-box';
import { DeliveryState } from '@recording-request/proto/webhooks/v1/webhooks';
import { until } from '@recording-request/testing/wait';
import { sealedFor } from '../src/domain/sealing.ts';
import { asking } from './feed-helpers.ts';
import { completed, startTestWebhooks, submission, type TestWebhooks } from './test-service.ts';

const NOTE = 'I come every Saturday';
const NAME = 'Grace Sample';
const { DELIVERY_STATE_DELIVERED, DELIVERY_STATE_FAILED, DELIVERY_STATE_PENDING } = DeliveryState;
const keyNamed = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

let harness: TestWebhooks;
let receiver: Receiver;
let keys: string;
before(async () => {
  receiver = await startReceiver();
  harness = await startTestWebhooks();
  keys = harness.config.secretsKey;
});
after(async () => {
  await harness?.[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

/** Creates a project whose endpoint is a separate path at the receiver. */
function project() {
  const projectId = uuidv7();
  const path = `/${projectId}`;
  harness.setTarget(projectId, `http://127.0.0.1:${receiver.port}${path}`);
  harness.targets.get(projectId)!.hasInvitations = true;
  return { projectId, mine: (request: ReceivedRequest) => request.path === path };
}

const rows = () => harness.mongo.collection<{ _id: string; sealedBody?: string }>('deliveries').find().toArray();

const inState = ({ webhooks }: Pick<TestWebhooks, 'webhooks'>, projectId: string, id: string, state: DeliveryState) =>
  until(`event ${id} is in state ${state}`, async () => {
    const { deliveries } = await webhooks.listDeliveries({ projectId, pageSize: 100, cursor: '' });
    return deliveries.find(delivery => delivery.deliveryId === id && delivery.state === state);
  });

/** Inserts a due delivery that is sealed with these keys. */
async function insertDue(projectId: string, sealing: string): Promise<string> {
  const id = uuidv7();
  const sealedBody = createSecretBox(sealing).seal('{"of":"a test"}', sealedFor.delivery(id));
  await harness.mongo.collection('deliveries').insertOne({
    _id: id as never,
    ...{ projectId, ownerId: projectId, submissionId: uuidv7(), eventType: 'submission.completed' },
    ...{ createdAt: new Date(), sealedBody, state: 'pending', nextAt: new Date(), step: 0, forced: false },
    ...{ attempts: [], attemptCount: 0, traceparent: '', tracestate: '' },
  });
  return id;
}

test('the database holds no note and no name in plain; each retry and each redelivery has the same bytes', async () => {
  const { projectId, mine } = project();
  const clip = submission(projectId, { note: NOTE });
  const person = { name: NAME, reference: 'P-17', email: '', locale: '', verified: true };
  const dueAt = new Date(clip.createdAt!.getTime() - 1);
  harness.invitations.of.set(clip.linkId, { person, metadata: { branch: 'North' }, dueAt });
  let refused = 0;
  receiver.respond = (_request, response) => {
    refused += 1;
    // The owner changes the recipient between the attempts.
    harness.invitations.of.set(clip.linkId, { person: { ...person, name: 'Another Person' }, metadata: {} });
    response.writeHead(refused > 2 ? 204 : 500).end();
  };
  const event = completed(clip);
  await harness.kafka.publish(event);
  await inState(harness, projectId, event.id, DELIVERY_STATE_DELIVERED);
  await harness.webhooks.redeliver({ projectId, deliveryId: event.id });
  const [first, ...others] = await receiver.waitFor(4, mine);
  for (const { body } of others) assert.ok(body.equals(first!.body));
  const { submission: sent } = JSON.parse(first!.body.toString()).data;
  assert.partialDeepStrictEqual(sent, {
    ...{ note: NOTE, metadata: { branch: 'North' }, late: true, changedAt: clip.createdAt!.toISOString() },
    recipient: { name: NAME, reference: 'P-17', email: null, locale: null, verified: true },
  });
  assert.match((await rows()).find(({ _id }) => _id === event.id)!.sealedBody!, /^k1\.[\w-]+$/);
  const stored = JSON.stringify(await rows());
  for (const word of [NOTE, NAME, 'P-17', 'North']) assert.ok(!stored.includes(word), word);
  for (const word of [NOTE, NAME, 'P-17', 'North']) assert.ok(!harness.lines.join('').includes(word), word);
});

test('asks for the recipient only if anybody is invited, and repeats an event while projects cannot answer', async () => {
  receiver.respond = (_request, response) => response.writeHead(204).end();
  const nobody = project();
  harness.targets.get(nobody.projectId)!.hasInvitations = false;
  const before = harness.invitations.calls;
  await harness.kafka.publish(completed(submission(nobody.projectId)));
  const [request] = await receiver.waitFor(1, nobody.mine);
  const { recipient, metadata, late } = JSON.parse(request!.body.toString()).data.submission;
  assert.deepEqual([recipient, metadata, late], [null, {}, false]);
  assert.equal(harness.invitations.calls, before);

  const { projectId, mine } = project();
  const clip = submission(projectId);
  harness.invitations.of.set(clip.linkId, { metadata: { branch: 'South' } });
  harness.invitations.fail = true;
  await harness.kafka.publish(completed(clip));
  await until('the call was tried twice', async () => harness.invitations.calls >= before + 2);
  assert.equal(receiver.received.filter(mine).length, 0);
  harness.invitations.fail = false;
  const [later] = await receiver.waitFor(1, mine);
  assert.deepEqual(JSON.parse(later!.body.toString()).data.submission.metadata, { branch: 'South' });
});

test('bodies are resealed in batches; then the old key can leave, and a redelivery has the same bytes', async () => {
  const { projectId, mine } = project();
  const event = completed(submission(projectId));
  await harness.kafka.publish(event);
  await inState(harness, projectId, event.id, DELIVERY_STATE_DELIVERED);
  const feed = harness.mongo.collection('feed');
  await until('the event is in the feed', () => feed.findOne({ eventId: event.id }));
  const ownerId = harness.targets.get(projectId)!.ownerId;
  const { events: before } = await harness.webhooks.listEvents(asking(ownerId));
  await harness.service.stop();
  const next = keyNamed('k2');
  const all = (await rows()).length;
  const inFeed = await feed.countDocuments({ data: { $exists: true } });
  {
    await using both = await harness.startWith(`${next},${keys}`);
    const would = await both.operator.resealBodies({ cursor: '', dryRun: true });
    assert.deepEqual([would.lookedAt, would.resealed, would.keyId, would.otherKeyIds], [all, all, 'k2', ['k1']]);
    const did = await both.operator.resealBodies({ cursor: '', dryRun: false });
    assert.deepEqual([did.resealed, did.unopened, did.changedMeanwhile, did.nextCursor], [all, [], 0, 'feed:']);
    const ofFeed = await both.operator.resealBodies({ cursor: did.nextCursor, dryRun: false });
    assert.deepEqual([ofFeed.resealed, ofFeed.unopened, ofFeed.nextCursor], [inFeed, [], '']);
    const again = await both.operator.resealBodies({ cursor: '', dryRun: false });
    assert.deepEqual([again.lookedAt, again.resealed], [all, 0]);
    await assert.rejects(both.operator.resealBodies({ cursor: 'links:', dryRun: false }), { code: 'invalid' });
  }
  keys = next;
  await using without = await harness.startWith(keys);
  await without.webhooks.redeliver({ projectId, deliveryId: event.id });
  const [first, second] = await receiver.waitFor(2, mine);
  assert.ok(second!.body.equals(first!.body));
  assert.deepEqual((await without.webhooks.listEvents(asking(ownerId))).events, before);
});

test('a missing key stops the start; a key that was declared lost fails only its deliveries', async () => {
  const { projectId, mine } = project();
  const kept = await insertDue(projectId, keys);
  const next = keyNamed('k3');
  const missing = /the body of delivery \S+ is sealed with the key "k2", which SECRETS_KEY does not hold/;
  await assert.rejects(harness.startWith(next), missing);

  await using without = await harness.startWith(next, ['k2']);
  const lost = await inState(without, projectId, kept, DELIVERY_STATE_FAILED);
  assert.match(lost.attempts.at(-1)!.error, /the operator has lost the key that decrypts this event/);
  const refusal = { code: 'gone', reason: 'event_key_lost' };
  await assert.rejects(without.webhooks.redeliver({ projectId, deliveryId: kept }), refusal);

  // The operator may still restore the key of this delivery, so it waits.
  const unknown = await insertDue(projectId, keyNamed('k9'));
  const fine = await insertDue(projectId, next);
  await inState(without, projectId, fine, DELIVERY_STATE_DELIVERED);
  const waits = await until('an attempt was made', async () => {
    const delivery = await inState(without, projectId, unknown, DELIVERY_STATE_PENDING);
    return delivery.attempts.length > 0 && delivery;
  });
  assert.match(waits.attempts[0]!.error, /cannot be decrypted until the operator restores its key/);
  assert.equal(receiver.received.filter(mine).length, 1);
  const { endpoint } = await without.webhooks.listDeliveries({ projectId, pageSize: 1, cursor: '' });
  assert.equal(endpoint?.failingSince, undefined, 'the endpoint does not fail');
  const named = await without.operator.resealBodies({ cursor: '', dryRun: true });
  assert.ok(named.unopened.some(({ record, keyId }) => record.includes(unknown) && keyId === 'k9'));
});
