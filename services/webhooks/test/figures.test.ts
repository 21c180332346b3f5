import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ReceivedRequest, type Receiver, startReceiver } from '@recording-request/harness/webhook-receiver';
import { uuidv7 } from '@recording-request/kit/ids';
import { startMeasured } from '@recording-request/testing/measured';
import { until } from '@recording-request/testing/wait';
import type { TestWebhooks } from './test-service.ts';

const measured = startMeasured();
const { startSending } = await import('@recording-request/kit-telemetry/signals');
startSending({ traces: false, metrics: true, logs: false });
const { completed, publishAll, startTestWebhooks, submission } = await import('./test-service.ts');
const { startReporting } = await import('../src/workflows/report-figures.ts');
const { openStore } = await import('../src/store/store.ts');

const ATTEMPT_MS = 3_000;
const ANSWER_MS = 2_000;
const EVENTS = 4;
let harness: TestWebhooks;
let receiver: Receiver;
before(async () => {
  receiver = await startReceiver();
  harness = await startTestWebhooks({
    WEBHOOK_ATTEMPT_TIMEOUT_MS: String(ATTEMPT_MS),
    WEBHOOK_ENDPOINT_CONCURRENCY: '1',
    WEBHOOK_RETRY_SCHEDULE_SECONDS: '600',
    FIGURES_SECONDS: '1',
    STUCK_AFTER_SECONDS: '4',
  });
});
after(async () => {
  await harness?.[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  await measured[Symbol.asyncDispose]();
});

function project() {
  const projectId = uuidv7();
  harness.setTarget(projectId, `http://127.0.0.1:${receiver.port}/${projectId}`);
  return { projectId, mine: (request: ReceivedRequest) => request.path === `/${projectId}` };
}
const publish = (projectId: string, count: number) =>
  publishAll(
    harness.kafka,
    Array.from({ length: count }, () => completed(submission(projectId))),
  );
const figure = async (name: string) => {
  const series = await measured.seriesOf(name);
  return series.find(({ attributes }) => attributes['recording.step'] === 'webhook')?.value ?? 0;
};
const late = async () => (await measured.seriesOf('recording.webhook.late'))[0]?.value;
const paused = async () => (await measured.seriesOf('recording.webhook.paused'))[0]?.value;
const failing = async () =>
  (await measured.seriesOf('recording.webhook.failing')).map(({ attributes }) => attributes['recording.project.id']);
const delays = async () => (await measured.seriesOf('recording.webhook.delay'))[0] ?? { value: 0, sum: 0 };

/**
 * Waits for a condition. Returns the largest age and the largest number of stuck events that the service reported
 * during the wait.
 */
async function largestUntil(what: string, look: () => unknown) {
  let age = 0;
  let stuck = 0;
  await until(what, async () => {
    age = Math.max(age, await figure('recording.step.age'));
    stuck = Math.max(stuck, await figure('recording.clips.stuck'));
    return Boolean(await look());
  });
  return { age, stuck };
}

test('events behind the running attempts of their own endpoint do not count as late', async () => {
  const { projectId, mine } = project();
  receiver.respond = (_, response, incoming) => {
    const timer = setTimeout(() => response.writeHead(204).end(), ANSWER_MS);
    incoming.on('close', () => clearTimeout(timer));
  };
  const before = await delays();
  await publish(projectId, EVENTS);
  const { age, stuck } = await largestUntil('every event was sent', async () => {
    const { value } = await delays();
    return value - before.value === EVENTS && receiver.received.filter(mine).length === EVENTS;
  });
  const { sum } = await delays();
  // The events wait behind each other for 0, 2, 4 and 6 s. These waits must not count.
  assert.ok(sum! - before.sum! < 6, `they waited ${sum! - before.sum!} s`);
  assert.ok(age < 5, `the age was ${age} s`);
  assert.equal(stuck, 0);
});

test('events of an endpoint that accepts and never answers do not count as late; the endpoint counts as failing', async () => {
  const { projectId, mine } = project();
  receiver.respond = () => {};
  const before = await delays();
  await publish(projectId, EVENTS);
  const { age, stuck } = await largestUntil('three attempts', () => receiver.received.filter(mine).length === 3);
  assert.ok(age < 5, `the age was ${age} s`);
  assert.equal(stuck, 0);
  assert.deepEqual(await failing(), [projectId]);
  assert.equal((await delays()).value - before.value, 1, 'only the attempt before the first failure ');

  receiver.respond = (_, response) => void response.writeHead(204).end();
  await harness.webhooks.sendTest({ projectId, eventType: '' });
  const later = await largestUntil('the endpoint is no longer failing', async () => (await failing()).length === 0);
  assert.ok(later.age < 5, `the age was ${later.age} s`);
  // The attempt that ran during the test event fails, and its retry is due much later.
  await receiver.waitFor(3 + 1 + (EVENTS - 1), mine);
  const { value, sum } = await delays();
  assert.ok(sum! - before.sum! < 6, `${value - before.value} events waited ${sum! - before.sum!} s`);
});

test('due events that no process takes get older, and are stuck', async () => {
  await harness.service.stop();
  const { projectId } = project();
  const store = await openStore(harness.mongo);
  const clock = { now: () => new Date() };
  const ids = { id: uuidv7(), projectId, ownerId: projectId, submissionId: '' };
  const about = { ...ids, eventType: 'submission.completed', createdAt: clock.now(), sealedBody: 'k1.x' };
  await store.queue.insert({ ...about, traceparent: '', tracestate: '' }, clock.now());
  const { config, mongo: connection, log } = harness;
  const reporting = startReporting({ config, log, clock, connection, store });
  try {
    await until('the event is stuck', async () => (await figure('recording.clips.stuck')) === 1);
    assert.ok((await figure('recording.step.age')) > config.stuckAfterSeconds);
    await store.endpoints.observe(projectId, 1, clock.now());
    await store.endpoints.served(projectId, clock.now());
    await until('another event of the project was sent', async () => (await figure('recording.step.age')) < 2);
    assert.equal(await figure('recording.clips.stuck'), 0);
    assert.equal(await late(), 0);
    const owners = ['an owner', 'an owner', 'another owner'];
    for (const ownerId of owners) {
      const event = { ...about, id: uuidv7(), projectId: uuidv7(), ownerId, traceparent: '', tracestate: '' };
      await store.queue.insert(event, new Date(Date.now() - 61_000));
    }
    await until('two owners wait for over a minute', async () => (await late()) === new Set(owners).size);
    await store.sending.set(true, new Date(Date.now() - 5_000));
    await until('all webhooks are paused', async () => (await paused())! > 5);
    await until(
      'no event is late meanwhile',
      async () => (await late()) === 0 && (await figure('recording.step.age')) === 0,
    );
    await store.sending.set(false, new Date());
    await until('webhooks are sent again', async () => (await paused()) === 0);
    assert.equal(await late(), 0, 'the wait for the operator does not count');
  } finally {
    await reporting.stop();
  }
});
