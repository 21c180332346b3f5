import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ReceivedRequest, type Receiver, startReceiver } from '@recording-request/harness/webhook-receiver';
import { uuidv7 } from '@recording-request/kit/ids';
import { DeliveryState } from '@recording-request/proto/webhooks/v1/webhooks';
import { until } from '@recording-request/testing/wait';
import { sealedFor } from '../src/domain/sealing.ts';
import { openStore } from '../src/store/store.ts';
import { completed, publishAll, startTestWebhooks, submission, type TestWebhooks } from './test-service.ts';

const { DELIVERY_STATE_DELIVERED, DELIVERY_STATE_ERASED, DELIVERY_STATE_PENDING } = DeliveryState;
const DAY_MS = 86_400_000;

let harness: TestWebhooks;
let receiver: Receiver;
before(async () => {
  receiver = await startReceiver();
  harness = await startTestWebhooks({ WEBHOOK_RETRY_SCHEDULE_SECONDS: '600', WEBHOOK_LEDGER_DAYS: '1' });
});
after(async () => {
  await harness?.[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

function project() {
  const projectId = uuidv7();
  const path = `/${projectId}`;
  harness.setTarget(projectId, `http://127.0.0.1:${receiver.port}${path}`);
  return { projectId, mine: (request: ReceivedRequest) => request.path === path };
}

const inState = (projectId: string, id: string, state: DeliveryState) =>
  until(`event ${id} is in state ${state}`, async () => {
    const delivery = await harness.delivery(projectId, id);
    return delivery?.state === state && delivery;
  });
const bodiesWith = async (text: string) => (await harness.bodies()).filter(body => body.includes(text));

test('a sent delivery stays listed without its body, and an unsent one is never sent', async () => {
  const { projectId, mine } = project();
  const clip = submission(projectId, { note: 'do not keep this' });
  const sent = completed(clip);
  await harness.kafka.publish(sent);
  await inState(projectId, sent.id, DELIVERY_STATE_DELIVERED);
  receiver.respond = (_request, response) => response.writeHead(500).end();
  const unsent = completed(clip);
  await harness.kafka.publish(unsent);
  await until(
    'an attempt was made',
    async () => ((await harness.delivery(projectId, unsent.id))?.attempts.length ?? 0) >= 1,
  );
  receiver.respond = (_request, response) => response.writeHead(204).end();
  const { submissionId } = clip;

  const would = await harness.operator.eraseSubmissionDeliveries({ projectId, submissionId, dryRun: true });
  assert.equal(would.erased!.payloads, 2);
  const did = await harness.operator.eraseSubmissionDeliveries({ projectId, submissionId, dryRun: false });
  assert.equal(did.erased!.payloads, 2);
  const before = receiver.received.filter(mine).length;
  assert.deepEqual(await bodiesWith('do not keep this'), []);
  const delivered = await inState(projectId, sent.id, DELIVERY_STATE_DELIVERED);
  assert.equal(delivered.attempts[0]!.statusCode, 204, 'ids and outcome stay');
  await inState(projectId, unsent.id, DELIVERY_STATE_ERASED);

  // Some of the other events follow the late ones in the same partition. So when they arrive, the service has handled
  // the late ones.
  const others = Array.from({ length: 12 }, () => completed(submission(projectId)));
  await publishAll(harness.kafka, [unsent, completed(clip), ...others]);
  await receiver.waitFor(before + others.length, mine);
  assert.deepEqual(await bodiesWith('do not keep this'), []);
  assert.equal(
    receiver.received.filter(mine).length,
    before + others.length,
    'no event of the erased submission was sent',
  );
  const again = await harness.operator.eraseSubmissionDeliveries({ projectId, submissionId, dryRun: false });
  assert.equal(again.erased!.payloads, 0);
});

test('a delivery that was recorded while its submission was erased is not sent', async () => {
  const { projectId, mine } = project();
  const clip = submission(projectId);
  await harness.operator.eraseSubmissionDeliveries({ projectId, submissionId: clip.submissionId, dryRun: false });
  // The state after a process checked for the erasure before its insert and died after the insert.
  const id = uuidv7();
  await harness.mongo.collection('deliveries').insertOne({
    _id: id as never,
    projectId,
    submissionId: clip.submissionId,
    eventType: 'submission.completed',
    createdAt: new Date(),
    sealedBody: harness.secrets.seal('{}', sealedFor.delivery(id)),
    state: 'pending',
    nextAt: new Date(),
    step: 0,
    forced: false,
    attempts: [],
    attemptCount: 0,
    traceparent: '',
    tracestate: '',
  });
  await inState(projectId, id, DELIVERY_STATE_ERASED);
  assert.equal(receiver.received.filter(mine).length, 0);
  assert.equal((await harness.mongo.collection('deliveries').findOne({ _id: id as never }))!.sealedBody, undefined);
});

test('erasing a project removes the bodies of all its deliveries and test events, and its endpoint', async () => {
  const { projectId } = project();
  const events = [completed(submission(projectId)), completed(submission(projectId))];
  await publishAll(harness.kafka, events);
  for (const { id } of events) await inState(projectId, id, DELIVERY_STATE_DELIVERED);
  await harness.webhooks.sendTest({ projectId, eventType: '' });
  assert.equal((await bodiesWith(projectId)).length, 3);
  const { erased } = await harness.operator.eraseProjectDeliveries({ projectId, dryRun: false });
  assert.deepEqual(erased, { payloads: 3, undelivered: 0, events: 2 });
  assert.deepEqual(await bodiesWith(projectId), []);
  const kept = () => harness.mongo.collection('endpoints').findOne({ _id: projectId as never });
  // A concurrent read may insert the endpoint again; that read then removes the endpoint.
  await until('the endpoint is removed', async () => (await kept()) === null);
  const { endpoints } = await openStore(harness.mongo);
  await endpoints.observe(projectId, 1, new Date());
  await until('a later read leaves no record of it', async () => (await kept()) === null);
  const lateClip = submission(projectId);
  const late = completed(lateClip);
  const follows = completed({
    ...submission(project().projectId),
    submissionId: lateClip.submissionId,
  });
  await publishAll(harness.kafka, [late, follows]);
  await until('the next event is in the ledger', async () =>
    harness.mongo.collection('deliveries').findOne({ _id: follows.id as never }),
  );
  assert.equal(await harness.delivery(projectId, late.id), undefined, 'no event of an erased project is recorded');
});

test('retention deletes old settled deliveries and keeps those that are still to be sent', async () => {
  const { projectId } = project();
  const [old, young] = [completed(submission(projectId)), completed(submission(projectId))];
  await publishAll(harness.kafka, [old, young]);
  for (const { id } of [old, young]) await inState(projectId, id, DELIVERY_STATE_DELIVERED);
  receiver.respond = (_request, response) => response.writeHead(500).end();
  const waiting = completed(submission(projectId));
  await harness.kafka.publish(waiting);
  await inState(projectId, waiting.id, DELIVERY_STATE_PENDING);
  await harness.mongo
    .collection('deliveries')
    .updateMany(
      { _id: { $in: [old.id, waiting.id] as never[] } },
      { $set: { createdAt: new Date(Date.now() - 2 * DAY_MS) } },
    );
  // A process runs retention when it starts.
  await harness.startAnother();
  await until('the old delivery is gone', async () => (await harness.delivery(projectId, old.id)) === undefined);
  assert.ok(await harness.delivery(projectId, young.id));
  assert.ok(await harness.delivery(projectId, waiting.id));
});
