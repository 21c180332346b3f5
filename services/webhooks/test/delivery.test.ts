import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newEvent } from '@recording-request/events/event';
import { type ReceivedRequest, type Receiver, startReceiver } from '@recording-request/harness/webhook-receiver';
import { uuidv7 } from '@recording-request/kit/ids';
import { MediaStatus, type Submission, TranscriptStatus } from '@recording-request/proto/submissions/v1/submissions';
import { DeliveryState, EndpointState } from '@recording-request/proto/webhooks/v1/webhooks';
import { until } from '@recording-request/testing/wait';
import { nameOf, watchOperations } from '@recording-request/testing/watch-operations';
import { Webhook } from 'standardwebhooks';
import { serviceSignature } from '../src/domain/signature.ts';
import { completed, publishAll, startTestWebhooks, submission, type TestWebhooks } from './test-service.ts';

let harness: TestWebhooks;
let receiver: Receiver;
before(async () => {
  receiver = await startReceiver();
  // The endpoint monitor must not act in these tests.
  harness = await startTestWebhooks({ WEBHOOK_PAUSED_CHECK_MS: '3600000' });
});
after(async () => {
  await harness?.[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const MANY = 200;
const SECRET = `whsec_${Buffer.from('the secret of this test').toString('base64')}`;
const idOf = (request: ReceivedRequest) => request.headers['webhook-id'];
/** Creates a new project whose endpoint is a separate path at the receiver. */
function project(secrets: string[] = [], events: string[] = []) {
  const projectId = uuidv7();
  const path = `/${projectId}`;
  const url = `http://127.0.0.1:${receiver.port}${path}`;
  harness.setTarget(projectId, url, secrets, events);
  return { projectId, url, mine: (request: ReceivedRequest) => request.path === path };
}
const delivered = (projectId: string, id: string) =>
  until('the event is delivered', async () => {
    const delivery = await harness.delivery(projectId, id);
    return delivery?.state === DeliveryState.DELIVERY_STATE_DELIVERED && delivery;
  });

test('a completed submission reaches the endpoint: headers, body, signatures, ledger', async () => {
  const { projectId, mine } = project([SECRET]);
  const clip = submission(projectId, { note: 'Grüße' });
  const event = completed(clip);
  await harness.kafka.publish(event);
  const [request] = await receiver.waitFor(1, mine);
  const { headers, body } = request!;
  assert.equal(headers['content-type'], 'application/json');
  assert.equal(headers['service-event'], 'submission.completed');
  assert.equal(headers['service-event-id'], event.id);
  assert.equal(headers['webhook-id'], event.id);
  assert.equal(headers['service-signature'], serviceSignature(body, SECRET));
  new Webhook(SECRET).verify(body, headers as Record<string, string>);

  const json = JSON.parse(body.toString());
  assert.deepEqual(Object.keys(json), ['id', 'type', 'createdAt', 'data']);
  assert.equal(json.id, event.id);
  assert.equal(json.createdAt, event.occurredAt!.toISOString());
  assert.equal(json.data.projectId, projectId);
  assert.equal(json.data.projectName, 'Voices');
  assert.equal(json.data.submission.submissionId, clip.submissionId);
  assert.equal(json.data.submission.note, 'Grüße');
  assert.ok(json.data.submission.videoUrl.startsWith('https://videos.example/api/'));

  const entry = await delivered(projectId, event.id);
  assert.equal(entry.submissionId, clip.submissionId);
  assert.equal(entry.attemptCount, 1);
  assert.deepEqual([entry.attempts[0]!.statusCode, entry.attempts[0]!.error], [204, '']);
});

test('a new delivery is inserted as claimed, and its outcome takes one write', async () => {
  const { projectId } = project();
  const first = completed(submission(projectId));
  await harness.kafka.publish(first);
  await delivered(projectId, first.id);
  await using watch = await watchOperations(harness.env, 'webhooks');
  const second = completed(submission(projectId));
  await harness.kafka.publish(second);
  await delivered(projectId, second.id);
  // The monitor and the polls use other commands, and no other delivery is being sent.
  const requested = (await watch.fresh()).map(nameOf);
  const counted = ['deliveries insert', 'deliveries findAndModify', 'deliveries update', 'erasures aggregate'];
  assert.deepEqual(
    counted.map(name => requested.filter(one => one === name).length),
    [1, 0, 1, 2],
    requested.join('\n'),
  );
});

test('optional events go to the projects that subscribe, with their contents, once per event', async () => {
  const requested = ['submission.media.completed', 'response.completed', 'submission.erased'];
  const { projectId, mine } = project([], requested);
  const clip = submission(projectId, { mediaStatus: MediaStatus.MEDIA_STATUS_READY });
  const long = submission(projectId);
  harness.submissions.set(long.submissionId, { ...long, transcriptText: 'many words', transcriptVtt: 'WEBVTT' });
  const { submissionId } = clip;
  const erasedAt = new Date('2026-03-02T10:00:00.250Z');
  const response = {
    projectId,
    submissionId,
    responseSessionId: uuidv7(),
    linkId: uuidv7(),
    submissionIds: [submissionId],
  };
  const media = (of: Submission, withoutTexts = false) =>
    ({ $case: 'submissionMedia', value: { submission: of, withoutTexts } }) as const;
  const events = [
    newEvent('submission.media.completed', media(clip)),
    newEvent('submission.media.completed', media(long, true)),
    newEvent('response.completed', { $case: 'responseCompleted', value: response }),
    newEvent('submission.media.failed', media(clip)),
    newEvent('submission.erasure', { $case: 'submissionErasure', value: { projectId, submissionId, erasedAt } }),
  ];
  await publishAll(harness.kafka, [...events, ...events]);
  const [ready, whole, completed, unasked, erased] = events.map(event => event.id);
  for (const id of [ready, whole, completed, erased]) await delivered(projectId, id!);
  const bodies = new Map(
    receiver.received.filter(mine).map(({ body }) => {
      const json = JSON.parse(body.toString());
      return [json.id, json];
    }),
  );
  assert.deepEqual([bodies.size, receiver.received.filter(mine).length, bodies.has(unasked)], [4, 4, false]);
  assert.equal(bodies.get(ready).data.submission.mediaStatus, 'ready');
  assert.equal(bodies.get(whole).data.submission.transcriptText, 'many words');
  const { responseSessionId, linkId: tokenId, submissionIds } = response;
  const head = { projectId, projectName: 'Voices', submission: null, sandbox: false };
  assert.deepEqual(bodies.get(completed).data, { ...head, response: { responseSessionId, tokenId, submissionIds } });
  assert.deepEqual(bodies.get(erased).data, { ...head, submissionId, erasedAt: erasedAt.toISOString() });
  assert.equal(bodies.get(erased).type, 'submission.erased');

  // The erasure removes the bodies of the submission's events, but not of the event about the erasure.
  const value = { projectId, submissionId };
  await harness.kafka.publish(newEvent('submission.erased', { $case: 'submissionErased', value }));
  await until('its events have no bodies', async () => {
    const row = await harness.mongo
      .collection<{ _id: string; sealedBody?: string }>('deliveries')
      .findOne({ _id: ready! });
    return row?.sealedBody === undefined;
  });
  await harness.webhooks.redeliver({ projectId, deliveryId: erased! });
  await receiver.waitFor(5, mine);
  assert.equal((await harness.delivery(projectId, erased!))?.submissionId, submissionId);
});

test('transcript events are sent under their own names', async () => {
  const { projectId, mine } = project();
  const of = submission(projectId, { transcriptStatus: TranscriptStatus.TRANSCRIPT_STATUS_FAILED });
  const payload = { $case: 'submissionTranscript' as const, value: { submission: of } };
  await harness.kafka.publish(newEvent('submission.transcript.completed', payload));
  await harness.kafka.publish(newEvent('submission.transcript.failed', payload));
  const requests = await receiver.waitFor(2, mine);
  const types = requests.map(request => JSON.parse(request.body.toString()).type).sort();
  assert.deepEqual(types, ['submission.transcript.completed', 'submission.transcript.failed']);
  assert.ok(requests.every(request => request.headers['service-signature'] === undefined));
});

test('a transcript that is too long for its event is sent in full, with the other fields as of the event', async () => {
  const { projectId, mine } = project();
  const texts = { transcriptText: 'long '.repeat(40_000), transcriptVtt: `WEBVTT${' long'.repeat(40_000)}` };
  const of = submission(projectId, { transcriptStatus: TranscriptStatus.TRANSCRIPT_STATUS_COMPLETED, note: 'before' });
  harness.submissions.set(of.submissionId, { ...of, ...texts, note: 'after' });
  const refer = (one: Submission) => {
    const payload = { $case: 'submissionTranscriptByReference' as const, value: { submission: one } };
    return newEvent('submission.transcript.completed', payload);
  };
  const erased = refer(submission(projectId));
  const event = refer(of);
  await harness.kafka.publish(erased);
  await harness.kafka.publish(event);
  const [request] = await receiver.waitFor(1, mine);
  const sent = JSON.parse(request!.body.toString()).data.submission;
  assert.deepEqual(
    [sent.transcriptText, sent.transcriptVtt, sent.note],
    [texts.transcriptText, texts.transcriptVtt, 'before'],
  );
  assert.equal(await harness.delivery(projectId, erased.id), undefined, 'no event of an erased submission is sent');
});

test('a repeated event is sent once; a project without an address gets nothing', async () => {
  const { projectId, mine } = project();
  const silent = uuidv7();
  harness.setTarget(silent, '');
  const clip = submission(projectId);
  const event = completed(clip);
  const last = completed(clip);
  for (const each of [event, event, completed(submission(silent)), event, last]) await harness.kafka.publish(each);
  // One partition keeps the order, so when the last event arrives, the repeated events have been handled.
  await receiver.waitFor(1, request => idOf(request) === last.id);
  await delivered(projectId, event.id);
  assert.equal(receiver.received.filter(request => mine(request) && idOf(request) === event.id).length, 1);
  const { deliveries } = await harness.webhooks.listDeliveries({ projectId: silent, pageSize: 10, cursor: '' });
  assert.deepEqual(deliveries, []);
});

test('a failure is retried with the same id and bytes, and the ledger has each attempt', async () => {
  const { projectId, mine } = project(['a secret']);
  const statuses = [500, 302, 204];
  receiver.respond = (request, response) =>
    response
      .writeHead(mine(request) ? (statuses.shift() ?? 204) : 204, { location: '/elsewhere' })
      .end('words of theirs');
  const event = completed(submission(projectId));
  await harness.kafka.publish(event);
  const requests = await receiver.waitFor(3, mine);
  assert.ok(requests.every(request => request.body.equals(requests[0]!.body) && idOf(request) === event.id));
  assert.ok(requests[1]!.at - requests[0]!.at >= 150 && requests[2]!.at - requests[1]!.at >= 330);
  const entry = await delivered(projectId, event.id);
  assert.deepEqual(
    entry.attempts.map(attempt => [attempt.statusCode, attempt.error]),
    [
      [500, 'the endpoint answered 500'],
      [302, 'redirects are not followed'],
      [204, ''],
    ],
  );
});

test('the retry waits for Retry-After, up to double the step', async () => {
  const { projectId, mine } = project();
  let first = true;
  receiver.respond = (request, response) => {
    const refuse = mine(request) && first;
    if (refuse) first = false;
    response.writeHead(refuse ? 429 : 204, { 'retry-after': '3600' }).end();
  };
  await harness.kafka.publish(completed(submission(projectId)));
  const [one, two] = await receiver.waitFor(2, mine);
  assert.ok(two!.at - one!.at >= 390, `${two!.at - one!.at} ms`);
});

test('a dead and a slow endpoint do not delay another one', async () => {
  const dead = project();
  const slow = project();
  const quick = project();
  receiver.respond = (request, response, incoming) => {
    if (dead.mine(request)) return;
    if (!slow.mine(request)) return void response.writeHead(204).end();
    const timer = setTimeout(() => response.writeHead(204).end(), 1_200);
    incoming.on('close', () => clearTimeout(timer));
  };
  const flood = [dead, slow].flatMap(({ projectId }) =>
    Array.from({ length: 60 }, () => completed(submission(projectId))),
  );
  await publishAll(harness.kafka, flood);
  // This test measures only the sending, so the ledger has every event before the sending starts.
  await until('every event is in the ledger', async () => {
    const projectId = { $in: [dead.projectId, slow.projectId] };
    return (await harness.mongo.collection('deliveries').countDocuments({ projectId })) === flood.length;
  });
  await receiver.waitFor(8, dead.mine);
  const events = Array.from({ length: 20 }, () => completed(submission(quick.projectId)));
  for (const event of events) {
    await harness.kafka.publish(event);
    await receiver.waitFor(1, each => idOf(each) === event.id);
  }
  const begun = new Set(receiver.received.filter(dead.mine).map(idOf)).size;
  assert.ok(begun < 60, 'the quick endpoint has all its events before each event of the dead one was attempted');
  harness.targets.delete(dead.projectId);
});

test('the log has no secret, no address and nothing from a body', () => {
  const all = harness.lines.join('');
  assert.ok(all.includes('An event was delivered') && all.includes('An endpoint did not accept an event'));
  for (const word of [SECRET, 'a secret', 'Grüße', 'words of theirs', `127.0.0.1:${receiver.port}`])
    assert.ok(!all.includes(word), word);
});

test('events sent one by one reach their endpoint and the ledger', async t => {
  const { projectId } = project([SECRET]);
  receiver.respond = (_, response) => void response.writeHead(204).end();
  const latencies: number[] = [];
  for (let i = 0; i < 40; i += 1) {
    const event = completed(submission(projectId));
    const at = performance.timeOrigin + performance.now();
    await harness.kafka.publish(event);
    const [request] = await receiver.waitFor(1, each => idOf(each) === event.id);
    latencies.push(request!.at - at);
    await delivered(projectId, event.id);
  }
  latencies.sort((a, b) => a - b);
  t.diagnostic(`publish → receiver: p50 ${latencies[20]!.toFixed(1)} ms, p90 ${latencies[36]!.toFixed(1)} ms`);
});

test('many events of a project read its address once a second, and events after a change go to the new address', async t => {
  const { projectId, url, mine } = project();
  const { get } = harness.targets;
  let requested = 0;
  harness.targets.get = id => {
    if (id === projectId) requested += 1;
    return get.call(harness.targets, id);
  };
  t.after(() => {
    harness.targets.get = get;
  });
  const startedAt = performance.now();
  await publishAll(
    harness.kafka,
    Array.from({ length: MANY }, () => completed(submission(projectId))),
  );
  await receiver.waitFor(MANY, mine);
  const seconds = (performance.now() - startedAt) / 1_000;
  assert.ok(requested <= 2 + seconds, `${requested} requests for ${MANY} events in ${seconds.toFixed(1)} s`);
  harness.setTarget(projectId, `${url}/new`);
  const event = completed(submission(projectId));
  await harness.kafka.publish(event);
  await delivered(projectId, event.id);
  const last = receiver.received.find(request => idOf(request) === event.id);
  assert.equal(last?.path, `/${projectId}/new`);
});

test('RefreshEndpoint retries a new address at once, without waiting for the monitor', async () => {
  const { projectId, url, mine } = project();
  receiver.respond = (_, response) => void response.writeHead(410).end();
  const event = completed(submission(projectId));
  await harness.kafka.publish(event);
  await until('the endpoint is paused', async () => {
    const { endpoint } = await harness.webhooks.listDeliveries({ projectId, pageSize: 1, cursor: '' });
    return endpoint?.state === EndpointState.ENDPOINT_STATE_PAUSED;
  });
  assert.deepEqual(await harness.webhooks.refreshEndpoint({ projectId }), { resumed: false }, 'no address was set');
  receiver.respond = (_, response) => void response.writeHead(204).end();
  harness.setTarget(projectId, url);
  assert.deepEqual(await harness.webhooks.refreshEndpoint({ projectId }), { resumed: true });
  await delivered(projectId, event.id);
  assert.equal(receiver.received.filter(mine).length, 2);
  const unknown = await harness.webhooks.refreshEndpoint({ projectId: uuidv7() });
  assert.equal(unknown.resumed, false, 'a project without events has no waiting deliveries');
});
