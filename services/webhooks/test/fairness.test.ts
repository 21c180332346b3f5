import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ReceivedRequest, type Receiver, startReceiver } from '@recording-request/harness/webhook-receiver';
import { uuidv7 } from '@recording-request/kit/ids';
import { DeliveryState } from '@recording-request/proto/webhooks/v1/webhooks';
import { until } from '@recording-request/testing/wait';
import { TESTS_AT_ONCE } from '../src/rpc/send-test.ts';
import { completed, publishAll, startTestWebhooks, submission, type TestWebhooks } from './test-service.ts';

const ENDPOINTS = 50;
const HANGING = 10;
const EVENTS_EACH = 6;
// Longer than the whole test, so that an endpoint that waited for a hanging one would get nothing.
const ATTEMPT_MS = 120_000;
const SERVED_MS = 50_000;
// As many slots as the hanging endpoints have events: without a limit per endpoint, these events would use every slot.
const SLOTS = HANGING * EVENTS_EACH;

const BUSY_PROJECTS = 16;

let harness: TestWebhooks;
let receiver: Receiver;
before(async () => {
  receiver = await startReceiver();
  harness = await startTestWebhooks({
    WEBHOOK_ATTEMPT_TIMEOUT_MS: String(ATTEMPT_MS),
    WEBHOOK_CONCURRENCY: String(SLOTS),
    WEBHOOK_ENDPOINT_CONCURRENCY: '4',
    WEBHOOK_STOP_MS: '0',
  });
});
after(async () => {
  await harness?.[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const idOf = (request: ReceivedRequest) => request.headers['webhook-id'] as string;

/** Interleaves the events of all endpoints, so that none is favoured. */
function eventsOf(projects: string[], each: number) {
  return Array.from({ length: each }, () => projects.map(projectId => completed(submission(projectId)))).flat();
}

/** Publishes all events at once. Returns the sorted times from publication to arrival, in milliseconds. */
async function latencies(projects: string[], each: number): Promise<number[]> {
  const events = eventsOf(projects, each);
  const from = Date.now();
  await publishAll(harness.kafka, events);
  const ids = new Set(events.map(event => event.id));
  const requests = await receiver.waitFor(events.length, request => ids.has(idOf(request)), SERVED_MS);
  return requests.map(request => request.at - from).sort((a, b) => a - b);
}

const percentiles = (sorted: number[]) =>
  [0.5, 0.95, 1].map(share => `p${share * 100} ${sorted[Math.ceil(sorted.length * share) - 1]} ms`).join(', ');

test('10 of 50 endpoints under load hang: the other 40 get every event without delay', {
  timeout: 120_000,
}, async t => {
  const projects = Array.from({ length: ENDPOINTS }, () => uuidv7());
  const [hanging, well] = [projects.slice(0, HANGING), projects.slice(HANGING)];
  for (const projectId of projects) harness.setTarget(projectId, `http://127.0.0.1:${receiver.port}/${projectId}`);
  const hangs = new Set(hanging.map(projectId => `/${projectId}`));
  receiver.respond = (request, response) => {
    if (!hangs.has(request.path)) response.writeHead(204).end();
  };
  // The first round is slower: it opens connections and compiles code.
  await latencies(well, 1);
  const without = await latencies(well, EVENTS_EACH);

  const stuck = eventsOf(hanging, EVENTS_EACH);
  await publishAll(harness.kafka, stuck);
  await receiver.waitFor(HANGING, request => hangs.has(request.path));
  await until('every event of the hanging endpoints is in the ledger', async () => {
    const ledger = harness.mongo.collection('deliveries');
    return (await ledger.countDocuments({ projectId: { $in: hanging } })) === stuck.length;
  });
  const beside = await latencies(well, EVENTS_EACH);

  t.diagnostic(`${without.length} events to ${well.length} endpoints: ${percentiles(without)}`);
  t.diagnostic(`the same while ${HANGING} others hang with ${stuck.length} events: ${percentiles(beside)}`);
  assert.equal(beside.length, well.length * EVENTS_EACH);
  const atOnce = receiver.received.filter(request => hangs.has(request.path)).length;
  assert.ok(atOnce <= HANGING * harness.config.endpointConcurrency, `${atOnce} attempts hang at once`);
});

test('an owner with many slow endpoints uses at most half of the slots: other owners’ events are sent at once', async () => {
  const projects = Array.from({ length: BUSY_PROJECTS }, () => uuidv7());
  const busyOwner = uuidv7();
  const url = (projectId: string) => `http://127.0.0.1:${receiver.port}/${projectId}`;
  for (const projectId of projects) harness.setTarget(projectId, url(projectId), [], [], busyOwner);
  const isBusy = new Set(projects.map(projectId => `/${projectId}`));
  const held: (() => void)[] = [];
  receiver.respond = (request, response) => {
    const answer = () => response.writeHead(204).end();
    if (isBusy.has(request.path)) held.push(answer);
    else answer();
  };
  const many = eventsOf(projects, harness.config.endpointConcurrency);
  assert.ok(many.length >= SLOTS, 'more than there are slots');
  await publishAll(harness.kafka, many);
  await until('every event of the busy owner is in the ledger', async () => {
    const ledger = harness.mongo.collection('deliveries');
    return (await ledger.countDocuments({ projectId: { $in: projects } })) === many.length;
  });
  for (let newcomers = 0; newcomers < 3; newcomers++) {
    const projectId = uuidv7();
    harness.setTarget(projectId, url(projectId));
    const event = completed(submission(projectId));
    await publishAll(harness.kafka, [event]);
    await receiver.waitFor(1, request => idOf(request) === event.id, SERVED_MS);
  }
  assert.ok(held.length <= SLOTS / 2, `one owner has ${held.length} of ${SLOTS} slots`);
  // Each attempt that ends admits another one, until all events are delivered.
  let ended = 0;
  await until(
    'every event of the busy owner is delivered',
    async () => {
      for (const answer of held.splice(0)) {
        answer();
        ended += 1;
      }
      return ended === many.length;
    },
    { limitMs: SERVED_MS },
  );
});

test('test events of one owner leave slots for another owner', async () => {
  const busyOwner = uuidv7();
  const projects = Array.from({ length: TESTS_AT_ONCE }, () => uuidv7());
  const url = (projectId: string) => `http://127.0.0.1:${receiver.port}/${projectId}`;
  for (const projectId of projects) harness.setTarget(projectId, url(projectId), [], [], busyOwner);
  const isBusy = new Set(projects.map(projectId => `/${projectId}`));
  const held: (() => void)[] = [];
  receiver.respond = (request, response) => {
    const answer = () => response.writeHead(204).end();
    if (isBusy.has(request.path)) held.push(answer);
    else answer();
  };
  const send = (projectId: string) => harness.webhooks.sendTest({ projectId, eventType: '' });
  let refused = 0;
  const sent = projects.map(projectId =>
    send(projectId).catch(error => {
      assert.equal(error.code, 'too_many');
      refused += 1;
    }),
  );
  await until('the busy owner has its share', async () => held.length + refused === projects.length);
  assert.ok(held.length <= TESTS_AT_ONCE / 2, `one owner has ${held.length} of ${TESTS_AT_ONCE} slots`);
  const newcomer = uuidv7();
  harness.setTarget(newcomer, url(newcomer));
  assert.equal((await send(newcomer)).delivery?.state, DeliveryState.DELIVERY_STATE_DELIVERED);
  for (const answer of held) answer();
  await Promise.all(sent);
});
