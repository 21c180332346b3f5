import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ReceivedRequest, type Receiver, startReceiver } from '@recording-request/harness/webhook-receiver';
import { uuidv7 } from '@recording-request/kit/ids';
import { DeliveryState } from '@recording-request/proto/webhooks/v1/webhooks';
import { until } from '@recording-request/testing/wait';
import { completed, publishAll, startTestWebhooks, submission, type TestWebhooks } from './test-service.ts';

const { DELIVERY_STATE_DELIVERED, DELIVERY_STATE_PENDING } = DeliveryState;
const PAUSED = /"msg":"Webhooks are paused/;
let harness: TestWebhooks;
let receiver: Receiver;
before(async () => {
  receiver = await startReceiver();
  harness = await startTestWebhooks();
});
after(async () => {
  await harness?.[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

function project() {
  const projectId = uuidv7();
  harness.setTarget(projectId, `http://127.0.0.1:${receiver.port}/${projectId}`);
  return { projectId, mine: (request: ReceivedRequest) => request.path === `/${projectId}` };
}
const inState = (projectId: string, id: string, state: DeliveryState) =>
  until(`event ${id} is in state ${state}`, async () => {
    const delivery = await harness.delivery(projectId, id);
    return delivery?.state === state && delivery;
  });
const logged = (pattern: RegExp) => harness.lines.filter(line => pattern.test(line)).length;

test('while webhooks are paused, no process sends one, and events wait until they are resumed', async () => {
  const { projectId, mine } = project();
  const first = completed(submission(projectId));
  await harness.kafka.publish(first);
  await inState(projectId, first.id, DELIVERY_STATE_DELIVERED);
  await harness.startAnother();

  const { sending } = await harness.operator.setSending({ paused: true });
  assert.deepEqual([sending!.paused, sending!.waiting], [true, 0]);
  await until('both processes have read it', async () => logged(PAUSED) === 2);
  await harness.operator.setSending({ paused: true });
  const clip = submission(projectId);
  const events = Array.from({ length: 5 }, () => completed(submission(projectId)));
  await publishAll(harness.kafka, [...events, completed(clip)]);
  const waiting = async () => (await harness.operator.getSending({})).sending!.waiting;
  await until('every event is recorded', async () => (await waiting()) === 6);

  // A restored system starts like this: it is paused before its first process begins.
  await harness.startAnother();
  await until('the new process has read it', async () => logged(PAUSED) === 3);
  const again = await harness.webhooks.redeliver({ projectId, deliveryId: first.id });
  assert.equal(again.delivery?.state, DELIVERY_STATE_PENDING, 'a delivery by hand waits too');
  await assert.rejects(harness.webhooks.sendTest({ projectId, eventType: '' }), {
    code: 'conflict',
    reason: 'webhooks_paused',
  });
  const { submissionId } = clip;
  const { erased } = await harness.operator.eraseSubmissionDeliveries({ projectId, submissionId, dryRun: false });
  assert.deepEqual([erased!.payloads, erased!.undelivered], [1, 1], 'an erasure works meanwhile');
  assert.equal(receiver.received.filter(mine).length, 1);

  const resumed = await harness.operator.setSending({ paused: false });
  assert.ok(resumed.sending!.since! > sending!.since!);
  await Promise.all(events.map(({ id }) => inState(projectId, id, DELIVERY_STATE_DELIVERED)));
  await receiver.waitFor(1 + 1 + events.length, mine);
  await until('every process sends again', async () => logged(/"msg":"Webhooks are sent again/) === 3);
  assert.equal(
    (await harness.webhooks.sendTest({ projectId, eventType: '' })).delivery?.state,
    DELIVERY_STATE_DELIVERED,
  );
});
