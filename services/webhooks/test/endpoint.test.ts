import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { WEBHOOK_EVENTS } from '@recording-request/contract/webhook-events';
import { newEvent } from '@recording-request/events/event';
import { type ReceivedRequest, type Receiver, startReceiver } from '@recording-request/harness/webhook-receiver';
import { uuidv7 } from '@recording-request/kit/ids';
import { DeliveryState, EndpointState } from '@recording-request/proto/webhooks/v1/webhooks';
import { until } from '@recording-request/testing/wait';
import { completed, publishAll, startTestWebhooks, submission, type TestWebhooks } from './test-service.ts';

let harness: TestWebhooks;
let receiver: Receiver;
before(async () => {
  receiver = await startReceiver();
  harness = await startTestWebhooks({ WEBHOOK_PAUSE_AFTER_MS: '6000', WEBHOOK_REDELIVER_MAX: '5' });
});
beforeEach(() => answer(204));
after(async () => {
  await harness?.[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const answer = (status: number) => {
  receiver.respond = (_, response) => void response.writeHead(status).end();
};
const typeOf = (request: ReceivedRequest) => request.headers['service-event'];
function project() {
  const projectId = uuidv7();
  const path = `/${projectId}`;
  const url = `http://127.0.0.1:${receiver.port}${path}`;
  harness.setTarget(projectId, url);
  return { projectId, url, mine: (request: ReceivedRequest) => request.path === path };
}
const list = (projectId: string) => harness.webhooks.listDeliveries({ projectId, pageSize: 100, cursor: '' });
const inState = (projectId: string, state: DeliveryState, count: number) =>
  until(`${count} deliveries are in state ${state}`, async () => {
    const page = await list(projectId);
    return page.deliveries.filter(delivery => delivery.state === state).length === count && page;
  });
const { DELIVERY_STATE_PAUSED, DELIVERY_STATE_DELIVERED, DELIVERY_STATE_FAILED, DELIVERY_STATE_ERASED } = DeliveryState;

// Waits, because the service marks a delivery before its endpoint, and a read may fall between the two writes.
const pausedEndpoint = (projectId: string) =>
  until('the endpoint is paused', async () => {
    const { endpoint } = await list(projectId);
    return endpoint?.state === EndpointState.ENDPOINT_STATE_PAUSED && endpoint;
  });

/** Creates a project whose endpoint answered 410 and that has `count` paused events. */
async function paused(count: number) {
  const made = project();
  answer(410);
  const events = Array.from({ length: count }, () => completed(submission(made.projectId)));
  await publishAll(harness.kafka, events);
  await inState(made.projectId, DELIVERY_STATE_PAUSED, count);
  const endpoint = await pausedEndpoint(made.projectId);
  answer(204);
  return { ...made, events, endpoint };
}

test('410 pauses the endpoint, keeps its events, and the owner sees the reason', async () => {
  const { projectId, mine, endpoint } = await paused(1);
  assert.match(endpoint.pauseReason, /410 Gone/);
  const before = receiver.received.filter(mine).length;
  await harness.kafka.publish(completed(submission(projectId)));
  await inState(projectId, DELIVERY_STATE_PAUSED, 2);
  assert.equal(receiver.received.filter(mine).length, before);
});

test('setting the address, even to the same value, sends all paused events', async () => {
  const { projectId, url, mine, events } = await paused(5);
  harness.setTarget(projectId, url);
  const { endpoint } = await inState(projectId, DELIVERY_STATE_DELIVERED, 5);
  assert.equal(endpoint?.state, EndpointState.ENDPOINT_STATE_ACTIVE);
  const ids = new Set(receiver.received.filter(mine).map(request => request.headers['webhook-id']));
  assert.deepEqual(ids, new Set(events.map(event => event.id)));
});

test('a successful test event resumes the endpoint; a failed one is not retried', async () => {
  const { projectId, mine } = await paused(2);
  answer(500);
  const refused = await harness.webhooks.sendTest({ projectId, eventType: '' });
  assert.equal(refused.delivery?.state, DELIVERY_STATE_FAILED);
  assert.equal(refused.delivery?.attempts[0]?.statusCode, 500);
  assert.equal((await list(projectId)).endpoint?.state, EndpointState.ENDPOINT_STATE_PAUSED);

  answer(204);
  const taken = await harness.webhooks.sendTest({ projectId, eventType: '' });
  assert.equal(taken.delivery?.state, DELIVERY_STATE_DELIVERED);
  await inState(projectId, DELIVERY_STATE_DELIVERED, 3);
  const tests = receiver.received.filter(request => mine(request) && typeOf(request) === 'webhook.test');
  assert.equal(tests.length, 2);
  const body = JSON.parse(tests[0]!.body.toString());
  assert.deepEqual([body.type, body.data.projectId, body.data.submission], ['webhook.test', projectId, null]);
});

test('a test event looks like a real one of its type, is marked as a test, and has unused ids', async () => {
  const { projectId, mine } = project();
  for (const type of WEBHOOK_EVENTS) {
    const { delivery } = await harness.webhooks.sendTest({ projectId, eventType: type });
    assert.deepEqual([delivery?.state, delivery?.eventType, delivery?.test], [DELIVERY_STATE_DELIVERED, type, true]);
  }
  const sent = receiver.received.filter(mine);
  assert.deepEqual(sent.map(typeOf), [...WEBHOOK_EVENTS]);
  assert.ok(sent.every(request => request.headers['service-test'] === 'true'));
  const { type, data } = JSON.parse(sent[0]!.body.toString());
  assert.deepEqual([type, data.projectId, data.submission.projectId], ['submission.completed', projectId, projectId]);
  const again = await harness.webhooks.sendTest({ projectId, eventType: type });
  const other = JSON.parse((await receiver.waitFor(sent.length + 1, mine))[sent.length]!.body.toString());
  assert.deepEqual([again.delivery?.eventId, again.delivery?.submissionId], [other.id, '']);
  assert.notEqual(other.data.submission.submissionId, data.submission.submissionId);
  await harness.kafka.publish(completed(submission(projectId)));
  const [real] = (await receiver.waitFor(sent.length + 2, mine)).slice(sent.length + 1);
  assert.equal(real?.headers['service-test'], undefined);
  await assert.rejects(harness.webhooks.sendTest({ projectId, eventType: 'response.done' }), {
    code: 'invalid',
    message: /type must be one of submission.completed, .*webhook.test/,
  });
});

test('an endpoint that fails for too long is paused, and a success resets that time', async () => {
  const { projectId } = project();
  answer(503);
  await harness.kafka.publish(completed(submission(projectId)));
  const failing = await until('the endpoint is seen failing', async () => {
    const { endpoint } = await list(projectId);
    return endpoint?.failingSince && endpoint;
  });
  assert.equal(failing.state, EndpointState.ENDPOINT_STATE_ACTIVE);
  const { deliveries } = await inState(projectId, DELIVERY_STATE_PAUSED, 1);
  assert.match((await pausedEndpoint(projectId)).pauseReason, /failed for too long/);
  assert.ok(deliveries[0]!.attemptCount >= 3);

  const other = project();
  let refuse = true;
  receiver.respond = (_, response) => {
    response.writeHead(refuse ? 503 : 204).end();
    refuse = false;
  };
  await harness.kafka.publish(completed(submission(other.projectId)));
  await inState(other.projectId, DELIVERY_STATE_DELIVERED, 1);
  await until(
    'the endpoint is no longer failing',
    async () => (await list(other.projectId)).endpoint?.failingSince === undefined,
  );
});

test('a project without an address keeps its events until an address is set', async () => {
  const { projectId, url } = project();
  answer(500);
  await harness.kafka.publish(completed(submission(projectId)));
  await until('an attempt was made', async () => (await list(projectId)).deliveries[0]?.attemptCount);
  harness.setTarget(projectId, '');
  await inState(projectId, DELIVERY_STATE_PAUSED, 1);
  answer(204);
  harness.setTarget(projectId, url);
  await inState(projectId, DELIVERY_STATE_DELIVERED, 1);
});

test('a delivery is redelivered by its id, also to a paused endpoint, and only by its owner', async () => {
  const { projectId, mine, events } = await paused(2);
  const deliveryId = events[0]!.id;
  await harness.webhooks.redeliver({ projectId, deliveryId });
  await inState(projectId, DELIVERY_STATE_DELIVERED, 1);
  assert.equal((await list(projectId)).endpoint?.state, EndpointState.ENDPOINT_STATE_PAUSED);
  const count = receiver.received.filter(mine).length;
  const stranger = { projectId: project().projectId, deliveryId };
  await assert.rejects(harness.webhooks.redeliver(stranger), { code: 'not_found' });
  await assert.rejects(harness.webhooks.redeliver({ projectId, deliveryId: 'x' }), { code: 'invalid' });
  assert.equal(receiver.received.filter(mine).length, count);
});

test('a redelivery without an address is refused and does not pause the endpoint', async () => {
  const { projectId, mine } = project();
  await harness.kafka.publish(completed(submission(projectId)));
  await inState(projectId, DELIVERY_STATE_DELIVERED, 1);
  const [delivery] = (await list(projectId)).deliveries;
  harness.setTarget(projectId, '');
  const refusal = { code: 'conflict', reason: 'webhook_url_missing', message: /no webhookUrl; set one/ };
  const { deliveryId } = delivery!;
  await assert.rejects(harness.webhooks.redeliver({ projectId, deliveryId }), refusal);
  await assert.rejects(harness.webhooks.redeliverRange({ projectId, undeliveredOnly: false }), refusal);
  const { deliveries, endpoint } = await list(projectId);
  assert.equal(deliveries[0]?.state, DELIVERY_STATE_DELIVERED);
  assert.equal(endpoint?.state, EndpointState.ENDPOINT_STATE_ACTIVE);
  assert.equal(receiver.received.filter(mine).length, 1);
});

test('a project’s events of a time range are redelivered with the same ids and bytes', async () => {
  const { projectId, mine } = project();
  const events = Array.from({ length: 6 }, (_, i) => ({
    ...completed(submission(projectId)),
    occurredAt: new Date(Date.UTC(2026, 0, 1 + i)),
  }));
  await publishAll(harness.kafka, events);
  await inState(projectId, DELIVERY_STATE_DELIVERED, 6);
  const first = await receiver.waitFor(6, mine);
  const range = { projectId, from: new Date(Date.UTC(2026, 0, 2)), to: new Date(Date.UTC(2026, 0, 4)) };
  assert.equal((await harness.webhooks.redeliverRange({ ...range, undeliveredOnly: true })).count, 0);
  assert.equal((await harness.webhooks.redeliverRange({ ...range, undeliveredOnly: false })).count, 2);
  const again = (await receiver.waitFor(8, mine)).slice(6);
  for (const request of again) {
    const before = first.find(each => each.headers['webhook-id'] === request.headers['webhook-id']);
    assert.ok(before?.body.equals(request.body));
  }
  await assert.rejects(harness.webhooks.redeliverRange({ projectId, undeliveredOnly: false }), {
    code: 'invalid',
    message: /More than 5 deliveries lie in that time/,
  });
  assert.deepEqual(new Set(again.map(each => each.headers['webhook-id'])), new Set([events[1]!.id, events[2]!.id]));
});

test('the list pages newest first, shows each delivery once, and refuses an invalid cursor', async () => {
  const { projectId } = project();
  const at = new Date();
  const events = Array.from({ length: 7 }, () => ({ ...completed(submission(projectId)), occurredAt: at }));
  await publishAll(harness.kafka, events);
  await inState(projectId, DELIVERY_STATE_DELIVERED, 7);
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const page = await harness.webhooks.listDeliveries({ projectId, pageSize: 3, cursor });
    seen.push(...page.deliveries.map(delivery => delivery.deliveryId));
    cursor = page.nextCursor;
    if (cursor === '') break;
  }
  assert.deepEqual(
    seen,
    events
      .map(event => event.id)
      .sort()
      .reverse(),
  );
  const attempt = { at, statusCode: 500, error: 'The endpoint answered 500.', durationMs: 5 };
  const attempts = Array.from({ length: 400 }, () => attempt);
  await harness.mongo.collection('deliveries').updateMany({ projectId }, { $set: { attempts } });
  const cut = await harness.webhooks.listDeliveries({ projectId, pageSize: 7, cursor: '' });
  assert.equal(cut.deliveries.length, 2, 'a page has at most 1,000 attempts');
  const rest = await harness.webhooks.listDeliveries({ projectId, pageSize: 7, cursor: cut.nextCursor });
  assert.equal(rest.deliveries[0]!.deliveryId, seen[2]);
  const bad = [{ cursor: 'x' }, { pageSize: 0 }, { pageSize: 101 }, { projectId: 'x' }];
  for (const wrong of bad)
    await assert.rejects(harness.webhooks.listDeliveries({ projectId, pageSize: 3, cursor: '', ...wrong }), {
      code: 'invalid',
    });
});

test('erasing a submission removes its payloads, and late events of it are not recorded', async () => {
  const { projectId, mine } = await paused(1);
  const clip = submission(projectId, { note: 'the words to be forgotten' });
  const event = completed(clip);
  await harness.kafka.publish(event);
  await inState(projectId, DELIVERY_STATE_PAUSED, 2);
  const value = { projectId, submissionId: clip.submissionId };
  await harness.kafka.publish(newEvent('submission.erased', { $case: 'submissionErased', value }));
  await inState(projectId, DELIVERY_STATE_ERASED, 1);
  await assert.rejects(harness.webhooks.redeliver({ projectId, deliveryId: event.id }), { code: 'gone' });

  await harness.kafka.publish(event);
  await harness.kafka.publish(completed(clip));
  // Some of these other events follow the late ones in the same partition. So when they arrive, the service has handled
  // the late ones.
  const others = Array.from({ length: 24 }, () => completed(submission(projectId)));
  await publishAll(harness.kafka, others);
  await inState(projectId, DELIVERY_STATE_PAUSED, 1 + others.length);
  const ofClip = await harness.mongo.collection('deliveries').find({ submissionId: clip.submissionId }).toArray();
  assert.deepEqual(
    ofClip.map(each => [String(each._id), each.sealedBody]),
    [[event.id, undefined]],
  );
  await harness.webhooks.sendTest({ projectId, eventType: '' });
  await inState(projectId, DELIVERY_STATE_DELIVERED, 2 + others.length);
  assert.ok(!receiver.received.some(request => mine(request) && request.body.includes('forgotten')));
});

test('a test event without an address or for an unknown project is refused', async () => {
  const silent = uuidv7();
  harness.setTarget(silent, '');
  await assert.rejects(harness.webhooks.sendTest({ projectId: silent, eventType: '' }), { code: 'conflict' });
  await assert.rejects(harness.webhooks.sendTest({ projectId: uuidv7(), eventType: '' }), { code: 'not_found' });
});

test('due deliveries are found through the index, however large the ledger is', async () => {
  const plan = await harness.mongo
    .collection('deliveries')
    .aggregate([
      { $match: { state: 'pending' } },
      { $sort: { state: 1, projectId: 1, nextAt: 1 } },
      { $group: { _id: '$projectId', nextAt: { $first: '$nextAt' } } },
    ])
    .explain('queryPlanner');
  assert.match(JSON.stringify(plan), /DISTINCT_SCAN/);
});
