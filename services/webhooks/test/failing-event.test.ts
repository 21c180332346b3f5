import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ReceivedRequest, type Receiver, startReceiver } from '@recording-request/harness/webhook-receiver';
import { uuidv7 } from '@recording-request/kit/ids';
import type { RunningService } from '@recording-request/kit/lifecycle';
import { DeliveryState, EndpointState } from '@recording-request/proto/webhooks/v1/webhooks';
import { until } from '@recording-request/testing/wait';
import { completed, publishAll, startTestWebhooks, submission, type TestWebhooks } from './test-service.ts';

const TYPE = 'webhook.failing';
const FAILING_AFTER_MS = 500;
let harness: TestWebhooks;
let other: RunningService;
let receiver: Receiver;
before(async () => {
  receiver = await startReceiver();
  harness = await startTestWebhooks({ WEBHOOK_FAILING_AFTER_MS: String(FAILING_AFTER_MS) });
  other = await harness.startAnother();
});
after(async () => {
  await harness?.[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const answer = (status: number) => {
  receiver.respond = (_, response) => void response.writeHead(status).end();
};
function project(events: string[]) {
  const projectId = uuidv7();
  const path = `/${projectId}`;
  const setTarget = () => harness.setTarget(projectId, `http://127.0.0.1:${receiver.port}${path}`, [], events);
  setTarget();
  const mine = (request: ReceivedRequest) => request.path === path;
  const attemptsAt = (type: string) =>
    receiver.received.filter(request => mine(request) && request.headers['service-event'] === type);
  const list = () => harness.webhooks.listDeliveries({ projectId, pageSize: 100, cursor: '' });
  const ofType = async () => (await list()).deliveries.filter(({ eventType }) => eventType === TYPE);
  const publish = (count: number) =>
    publishAll(
      harness.kafka,
      Array.from({ length: count }, () => completed(submission(projectId))),
    );
  return { projectId, setTarget, attemptsAt, list, ofType, publish };
}
const { DELIVERY_STATE_DELIVERED, DELIVERY_STATE_PAUSED } = DeliveryState;

test('an endpoint that fails for long gets one event about it, when it accepts events again', async () => {
  const { projectId, attemptsAt, list, ofType, publish } = project([TYPE]);
  answer(503);
  await publish(2);
  const [event] = await until('the event is recorded', async () => {
    const found = await ofType();
    return found.length > 0 && found;
  });
  // The failed attempts of this event, the checks of both processes and a restart must not record a second event.
  await until('the event was refused three times', () => attemptsAt(TYPE).length >= 3);
  await other.stop();
  await harness.startAnother();
  const before = attemptsAt(TYPE).length;
  await until('the event was refused again', () => attemptsAt(TYPE).length > before + 1);
  assert.deepEqual(
    (await ofType()).map(({ deliveryId }) => deliveryId),
    [event!.deliveryId],
  );
  const { endpoint } = await list();
  assert.deepEqual([endpoint?.lastStatusCode, endpoint?.lastError], [503, 'the endpoint answered 503']);

  answer(204);
  await until('everything is delivered', async () =>
    (await list()).deliveries.every(({ state }) => state === DELIVERY_STATE_DELIVERED),
  );
  const body = JSON.parse(attemptsAt(TYPE).at(-1)!.body.toString());
  assert.deepEqual(body, {
    ...{ id: event!.deliveryId, type: TYPE, createdAt: event!.createdAt!.toISOString() },
    data: {
      ...{
        projectId,
        projectName: 'Voices',
        submission: null,
        sandbox: false,
        failingSince: endpoint!.failingSince!.toISOString(),
      },
      ...{ lastStatusCode: 503, lastError: 'the endpoint answered 503', unsentEvents: 2 },
    },
  });
  const healthy = await until('the endpoint is healthy', async () => {
    const page = await list();
    return page.endpoint?.failingSince === undefined && page.endpoint;
  });
  assert.deepEqual([healthy.lastStatusCode, healthy.lastError], [0, '']);

  answer(500);
  await publish(1);
  await until('the next period of failures has its own event', async () => (await ofType()).length === 2);
});

test('a paused endpoint gets the event too, and a project that does not request it gets none', async () => {
  const paused = project([TYPE]);
  const silent = project([]);
  answer(410);
  await Promise.all([paused.publish(1), silent.publish(1)]);
  await until('the event waits', async () => (await paused.ofType())[0]?.state === DELIVERY_STATE_PAUSED);
  assert.equal((await silent.list()).endpoint?.state, EndpointState.ENDPOINT_STATE_PAUSED);
  assert.deepEqual(await silent.ofType(), []);
  answer(204);
  paused.setTarget();
  await until('the event arrives', async () => (await paused.ofType())[0]?.state === DELIVERY_STATE_DELIVERED);
});
