import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startReceiver } from '@recording-request/harness/webhook-receiver';
import { uuidv7 } from '@recording-request/kit/ids';
import { createLogger } from '@recording-request/kit/log';
import { followDatabase } from '@recording-request/kit-mongo/clock';
import { DeliveryState } from '@recording-request/proto/webhooks/v1/webhooks';
import { testEnvironment } from '@recording-request/testing/environment';
import { testStores } from '@recording-request/testing/test-stores';
import { until } from '@recording-request/testing/wait';
import { createSender } from '../src/adapters/http-sender.ts';
import type { Targets } from '../src/adapters/targets.ts';
import { deliver } from '../src/delivery/deliver.ts';
import { sealedFor } from '../src/domain/sealing.ts';
import { migrate } from '../src/migrate.ts';
import { openStore } from '../src/store/store.ts';
import { completed, publishAll, startTestWebhooks, submission } from './test-service.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

test('three processes share the deliveries: each arrives once', async () => {
  await using receiver = await startReceiver();
  // Long enough that even on a busy machine no attempt reaches its time limit or the end of its lease. So every
  // repeated delivery is a defect.
  await using harness = await startTestWebhooks({
    WEBHOOK_ATTEMPT_TIMEOUT_MS: '15000',
    WEBHOOK_LEASE_MARGIN_MS: '15000',
  });
  await Promise.all([harness.startAnother(), harness.startAnother()]);
  const projects = Array.from({ length: 5 }, () => uuidv7());
  for (const projectId of projects) harness.setTarget(projectId, receiver.url);
  const events = Array.from({ length: 100 }, (_, i) => completed(submission(projects[i % 5]!)));
  await publishAll(harness.kafka, events);
  const deliveries = harness.mongo.collection('deliveries');
  await until(
    'every event is delivered',
    async () => (await deliveries.countDocuments({ state: 'delivered' })) === events.length,
  );
  for (const projectId of projects) await harness.webhooks.redeliverRange({ projectId, undeliveredOnly: false });
  await receiver.waitFor(2 * events.length);
  await until(
    'every event is delivered',
    async () => (await deliveries.countDocuments({ state: 'delivered' })) === events.length,
  );
  assert.equal(receiver.received.length, 2 * events.length);
  const ids = receiver.received.map(request => request.headers['webhook-id']);
  assert.deepEqual(new Set(ids), new Set(events.map(event => event.id)));
});

test('a killed process’s attempt is repeated after its lease expires', async t => {
  await using receiver = await startReceiver();
  await using harness = await startTestWebhooks({ WEBHOOK_ATTEMPT_TIMEOUT_MS: '3000' });
  // Only the process under test may send; the service in this process starts later.
  await harness.service.stop();
  const child = spawn(process.execPath, [MAIN], { env: harness.env, stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  const projectId = uuidv7();
  harness.setTarget(projectId, receiver.url);
  receiver.respond = () => {};
  const event = completed(submission(projectId));
  await harness.kafka.publish(event);
  const [first] = await receiver.waitFor(1);
  child.kill('SIGKILL');
  await once(child, 'exit');
  receiver.respond = (_, response) => void response.writeHead(204).end();
  await harness.startAnother();
  const [, second] = await receiver.waitFor(2);
  assert.equal(second!.headers['webhook-id'], event.id);
  assert.ok(second!.body.equals(first!.body));
  const { attemptTimeoutMs, leaseMarginMs } = harness.config;
  // The lease begins before the receiver sees the first attempt, which arrives late on a busy machine. So the test
  // requires only half of the lease.
  assert.ok(second!.at - first!.at > (attemptTimeoutMs + leaseMarginMs) / 2, 'the lease must expire first');
  child?.kill('SIGKILL');
});

test('a stop waits for the running attempt', async () => {
  await using receiver = await startReceiver();
  await using harness = await startTestWebhooks();
  const projectId = uuidv7();
  harness.setTarget(projectId, receiver.url);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  receiver.respond = (_, response) => void released.then(() => response.writeHead(204).end());
  const event = completed(submission(projectId));
  await harness.kafka.publish(event);
  await receiver.waitFor(1);
  const stopping = harness.service.stop();
  release();
  await stopping;
  const stored = await harness.mongo
    .collection<{ _id: string; state: string }>('deliveries')
    .findOne({ _id: event.id });
  assert.equal(stored?.state, 'delivered');
});

test('a stop at its time limit releases the delivery to another process at once, without counting the attempt', async () => {
  await using receiver = await startReceiver();
  await using harness = await startTestWebhooks({ WEBHOOK_STOP_MS: '0', WEBHOOK_ATTEMPT_TIMEOUT_MS: '10000' });
  const projectId = uuidv7();
  harness.setTarget(projectId, receiver.url);
  receiver.respond = () => {};
  const event = completed(submission(projectId));
  await harness.kafka.publish(event);
  await receiver.waitFor(1);
  await harness.service.stop();
  receiver.respond = (_, response) => void response.writeHead(204).end();
  const stored = await harness.mongo.collection<{ _id: string }>('deliveries').findOne({ _id: event.id });
  assert.partialDeepStrictEqual(stored, { state: 'pending', attemptCount: 0 });
  await harness.startAnother();
  await receiver.waitFor(2);
});

test('while the projects service is down no event is lost and no attempt is counted', async () => {
  await using receiver = await startReceiver();
  await using harness = await startTestWebhooks();
  const projectId = uuidv7();
  harness.setTarget(projectId, receiver.url);
  const known = harness.targets.get(projectId)!;
  let failures = 0;
  harness.targets.get = () => {
    failures += 1;
    throw new Error('away');
  };
  await harness.kafka.publish(completed(submission(projectId)));
  await until('the projects service got two requests', async () => failures > 1);
  harness.targets.get = () => known;
  await receiver.waitFor(1);
  const page = await until('the event is delivered', async () => {
    const found = await harness.webhooks.listDeliveries({ projectId, pageSize: 1, cursor: '' });
    return found.deliveries[0]?.state === DeliveryState.DELIVERY_STATE_DELIVERED && found;
  });
  assert.equal(page.deliveries[0]!.attemptCount, 1);
});

test('processes with clocks ten seconds off send every due delivery, and none twice', async t => {
  const environment = testEnvironment();
  await using stores = testStores(environment);
  await migrate(environment.env, () => {});
  const { queue, endpoints } = await openStore(await stores.database('webhooks'));
  const now = new Date();
  const projectId = uuidv7();
  const about = { projectId, ownerId: uuidv7(), submissionId: uuidv7() };
  const delivery = { ...about, eventType: 'submission.completed', sealedBody: 'k1.x' };
  for (const aheadMs of [10_000, -10_000]) {
    t.mock.timers.enable({ apis: ['Date'], now: now.getTime() + aheadMs });
    await queue.insert({ id: uuidv7(), ...delivery, createdAt: now, traceparent: '', tracestate: '' }, now);
    assert.ok(await queue.claim({ projectId }, 60_000), 'the due delivery is claimed');
    await endpoints.observe(projectId, 1, now);
    await endpoints.scheduleChecks(projectId, now);
    assert.ok(await endpoints.claimDueCheck(60_000), 'the due check is claimed');
    t.mock.timers.reset();
    t.mock.timers.enable({ apis: ['Date'], now: now.getTime() - aheadMs });
    assert.equal(await queue.claim({ projectId }, 60_000), undefined, 'a running delivery is not claimed again');
    assert.equal(await endpoints.claimDueCheck(60_000), undefined, 'the check is not claimed twice');
    t.mock.timers.reset();
    await endpoints.remove(projectId);
  }
});

test('a process that was paused past its lease does not repeat a delivery that another one has sent', async () => {
  await using receiver = await startReceiver();
  await using harness = await startTestWebhooks();
  const projectId = uuidv7();
  harness.setTarget(projectId, receiver.url);
  const { config, secrets } = harness;
  const log = createLogger('test', 'silent');
  const store = await openStore(harness.mongo);
  const clock = await followDatabase(harness.mongo, log);
  await using ending = new AsyncDisposableStack();
  ending.defer(() => clock.stop());
  const { attemptTimeoutMs: timeoutMs, answerBytes } = config;
  const sender = createSender({ allowHttp: true, allowPrivate: true, timeoutMs, answerBytes, dnsServers: undefined });
  ending.defer(() => sender.close());
  const id = uuidv7();
  const ids = { id, projectId, ownerId: uuidv7(), submissionId: uuidv7() };
  const about = { ...ids, eventType: 'submission.completed', createdAt: clock.now() };
  const leaseUntil = new Date(clock.now().getTime() + 500);
  const claimed = await store.queue.insertClaimed(
    { ...about, sealedBody: secrets.seal('{}', sealedFor.delivery(id)), traceparent: '', tracestate: '' },
    { leaseUntil, forced: false },
  );
  const isDelivered = async () =>
    (await harness.delivery(projectId, id))?.state === DeliveryState.DELIVERY_STATE_DELIVERED;
  const requested = async () => {
    await until('the other process has sent it', isDelivered);
    const target = { projectName: 'Voices', url: receiver.url, secrets: [], version: 1, events: [], ownerId: 'owner' };
    return { ...target, hasInvitations: false, sandbox: false };
  };
  const targets: Targets = { of: requested, recent: requested, invitationOf: async () => undefined, close() {} };
  const turns = { begin: () => 0 };
  const sending = { current: () => ({ isPaused: false, since: new Date(0) }), refresh: async () => {} };
  const deps = { config, log, secrets, clock, store, targets, sender, turns, sending };
  await deliver(deps, claimed!, new AbortController().signal);
  assert.equal(receiver.received.length, 1);
  assert.ok(await isDelivered());
  assert.equal((await harness.delivery(projectId, id))?.attemptCount, 1);
});

test('a process with an older address version does not undo the newer one', async () => {
  const environment = testEnvironment();
  await using stores = testStores(environment);
  await migrate(environment.env, () => {});
  const { endpoints } = await openStore(await stores.database('webhooks'));
  const projectId = uuidv7();
  const now = new Date();
  await endpoints.observe(projectId, 1, now);
  const noticed = await endpoints.observe(projectId, 2, now);
  assert.equal(noticed.renewed, true);
  assert.ok(await endpoints.pause(projectId, 2, 'gone', now));
  const late = await endpoints.observe(projectId, 1, now);
  assert.deepEqual([late.endpoint.targetVersion, late.endpoint.state, late.renewed], [2, 'paused', false]);
  assert.equal((await endpoints.get(projectId))?.state, 'paused');
  // These calls run concurrently, the latest version first, so that each reads the endpoint before any of them changes
  // it.
  const versions = Array.from({ length: 20 }, (_, index) => 22 - index);
  await Promise.all(versions.map(version => endpoints.observe(projectId, version, now)));
  assert.equal((await endpoints.get(projectId))?.targetVersion, 22);
});

test('deliveries that wait for a retry become due even if a process died right after it recorded the new address', async () => {
  await using receiver = await startReceiver();
  await using harness = await startTestWebhooks({ WEBHOOK_RETRY_SCHEDULE_SECONDS: '600' });
  const projectId = uuidv7();
  harness.setTarget(projectId, receiver.url);
  receiver.respond = (_, response) => void response.writeHead(500).end();
  const event = completed(submission(projectId));
  await harness.kafka.publish(event);
  const delivery = () => harness.delivery(projectId, event.id);
  await until('its retry is minutes away', async () => (await delivery())?.attempts.length === 1);
  receiver.respond = (_, response) => void response.writeHead(204).end();
  const { endpoints } = await openStore(harness.mongo);
  await endpoints.resume(projectId, 1, new Date());
  await until(
    'the event is delivered now',
    async () => (await delivery())?.state === DeliveryState.DELIVERY_STATE_DELIVERED,
  );
  assert.equal(receiver.received.length, 2);
  await until('no more checks follow', async () => {
    const left = await harness.mongo.collection('endpoints').findOne({ _id: projectId as never });
    return left?.resuming === undefined && left?.checkAt === undefined;
  });
});
