import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newEvent } from '@recording-request/events/event';
import { loadConfig } from '@recording-request/kit/config';
import { uuidv7 } from '@recording-request/kit/ids';
import { createSecretBox, type SecretBox } from '@recording-request/kit/secret-box';
import { readProgress } from '@recording-request/kit-kafka/progress';
import { kafkaVariables } from '@recording-request/kit-kafka/variables';
import type { OwnerEvent } from '@recording-request/proto/webhooks/v1/webhooks';
import { until } from '@recording-request/testing/wait';
import { asking, feedOf, ownerEvent, readOn } from './feed-helpers.ts';
import { completed, publishAll, startTestWebhooks, submission, type TestWebhooks } from './test-service.ts';

const DAY_MS = 86_400_000;

let harness: TestWebhooks;
let secrets: SecretBox;
before(async () => {
  harness = await startTestWebhooks({ FEED_DAYS: '1' });
  secrets = createSecretBox(harness.config.secretsKey);
});
after(() => harness?.[Symbol.asyncDispose]());

function project(ownerId = uuidv7()): { ownerId: string; projectId: string } {
  const projectId = uuidv7();
  harness.setTarget(projectId, '', [], [], ownerId);
  return { ownerId, projectId };
}
const erasedIn = (events: OwnerEvent[]) =>
  events.map(({ erased, data }) => (erased && data === '' ? 'erased' : 'kept'));

test('an erased submission leaves its events without data, also those that arrive later', async () => {
  const { ownerId, projectId } = project();
  const clip = submission(projectId);
  await publishAll(harness.kafka, [completed(clip), completed(submission(projectId))]);
  const before = await feedOf(harness, ownerId, 2);
  const { submissionId } = clip;
  const ids = { projectId, submissionId };
  assert.equal((await harness.operator.eraseSubmissionDeliveries({ ...ids, dryRun: true })).erased!.events, 1);
  assert.equal((await harness.operator.eraseSubmissionDeliveries({ ...ids, dryRun: false })).erased!.events, 1);
  assert.equal((await harness.operator.eraseSubmissionDeliveries({ ...ids, dryRun: false })).erased!.events, 0);
  const after = (await readOn(harness.webhooks, ownerId)).events;
  assert.deepEqual(
    after.map(({ eventId, submissionId: id, tokenId }) => [eventId, id, tokenId]),
    before.map(({ eventId, submissionId: id, tokenId }) => [eventId, id, tokenId]),
  );
  assert.deepEqual(
    erasedIn(after),
    before.map(each => (each.submissionId === submissionId ? 'erased' : 'kept')),
  );

  const late = [await ownerEvent({ secrets }, ownerId, { ...ids, data: { a: 1 } }), completed(clip)];
  await publishAll(harness.kafka, late);
  const [, , ...rest] = await feedOf(harness, ownerId, 4);
  assert.deepEqual(erasedIn(rest), ['erased', 'erased']);
  assert.equal(await harness.mongo.collection('feed').countDocuments({ submissionId, data: { $exists: true } }), 0);
});

test('the data of an event is erased although the process that inserted it was killed before it looked for an erasure', async () => {
  const { ownerId, projectId } = project();
  const clip = submission(projectId);
  const event = completed(clip);
  await harness.kafka.publish(event);
  await feedOf(harness, ownerId, 1);
  const { submissionId } = clip;
  const feed = harness.mongo.collection('feed');
  const { data, dataBytes } = (await feed.findOne({ ownerId }))!;
  await harness.operator.eraseSubmissionDeliveries({ projectId, submissionId, dryRun: false });
  await feed.updateOne({ ownerId }, { $set: { data, dataBytes } });
  await harness.kafka.publish(await ownerEvent({ secrets }, ownerId, { projectId, submissionId, id: event.id }));
  await until('the data is erased', async () => (await readOn(harness.webhooks, ownerId)).events[0]!.erased);
});

test('the event of an erasure removes the data too', async () => {
  const { ownerId, projectId } = project();
  const clip = submission(projectId);
  await harness.kafka.publish(completed(clip));
  await feedOf(harness, ownerId, 1);
  const { submissionId } = clip;
  await harness.kafka.publish(
    newEvent('submission.erased', { $case: 'submissionErased', value: { projectId, submissionId } }),
  );
  await until('the data is erased', async () => (await readOn(harness.webhooks, ownerId)).events[0]!.erased);
});

test('an erased project leaves its events without data', async () => {
  const { ownerId, projectId } = project();
  const other = project(ownerId);
  await publishAll(harness.kafka, [completed(submission(projectId)), completed(submission(other.projectId))]);
  await feedOf(harness, ownerId, 2);
  const { erased } = await harness.operator.eraseProjectDeliveries({ projectId, dryRun: false });
  assert.equal(erased!.events, 1);
  const { events } = await readOn(harness.webhooks, ownerId);
  assert.deepEqual(
    events.filter(each => each.erased).map(each => each.projectId),
    [projectId],
  );
});

test('the event of an erased project removes the data of its events, also of those that arrive later', async () => {
  const { ownerId, projectId } = project();
  const other = project(ownerId);
  await publishAll(harness.kafka, [completed(submission(projectId)), completed(submission(other.projectId))]);
  await feedOf(harness, ownerId, 2);
  const erased = newEvent('project.erased', { $case: 'projectErased', value: { projectId, ownerId } });
  await publishAll(harness.kafka, [erased, erased]);
  const events = await until('the data is erased', async () => {
    const { events } = await readOn(harness.webhooks, ownerId);
    return events.some(each => each.erased) && events;
  });
  assert.deepEqual(
    events.filter(each => each.erased).map(each => each.projectId),
    [projectId],
  );
  await harness.kafka.publish(await ownerEvent({ secrets }, ownerId, { projectId }));
  assert.equal((await feedOf(harness, ownerId, 3)).filter(each => each.erased).length, 2);
});

test('an erasure counts each event, also if another event arrives while it runs', async () => {
  const { ownerId, projectId } = project();
  await publishAll(harness.kafka, [completed(submission(projectId)), completed(submission(projectId))]);
  await feedOf(harness, ownerId, 2);
  // The first step of the erasure, which the arriving event sees.
  await harness.mongo.collection('erasures').insertOne({ _id: projectId as never, at: new Date() });
  await harness.kafka.publish(await ownerEvent({ secrets }, ownerId, { projectId }));
  await feedOf(harness, ownerId, 3);
  const { erased } = await harness.operator.eraseProjectDeliveries({ projectId, dryRun: false });
  assert.equal(erased!.events, 2);
  assert.deepEqual(erasedIn((await readOn(harness.webhooks, ownerId)).events), ['erased', 'erased', 'erased']);
});

test('an erased owner has no events, also none that arrive later', async () => {
  const [{ ownerId, projectId }, other] = [project(), project()];
  await harness.kafka.publish(completed(submission(projectId)));
  await feedOf(harness, ownerId, 1);
  assert.equal((await harness.operator.eraseOwnerEvents({ ownerId, dryRun: true })).events, 1);
  assert.equal((await harness.operator.eraseOwnerEvents({ ownerId, dryRun: false })).events, 1);
  await harness.kafka.publish(await ownerEvent({ secrets }, ownerId));
  await harness.kafka.publish(await ownerEvent({ secrets }, other.ownerId));
  await feedOf(harness, other.ownerId, 1);
  await until('the late record was handled', async () => {
    const { events } = await readOn(harness.webhooks, ownerId);
    assert.deepEqual(events, []);
    return (await waitingRecords()) === 0;
  });
  assert.equal(await harness.mongo.collection('feed').countDocuments({ ownerId }), 0);
  assert.equal(await harness.mongo.collection('feedstarts').countDocuments({ _id: ownerId as never }), 0);
});

test('a cursor before the oldest kept event has expired, and the answer says where to continue', async () => {
  const { ownerId, projectId } = project();
  const { cursor: start } = await readOn(harness.webhooks, ownerId);
  await harness.kafka.publish(completed(submission(projectId)));
  await feedOf(harness, ownerId, 1);
  const { cursor: read } = await readOn(harness.webhooks, ownerId);
  const feed = harness.mongo.collection('feed');
  await feed.updateOne({ ownerId }, { $inc: { seq: -2 * DAY_MS } });
  const { seq } = (await feed.findOne({ ownerId }))!;
  // A process deletes old events when it starts.
  await harness.startAnother();
  await until('the event is gone', async () => (await feed.countDocuments({ ownerId })) === 0);
  const expired = await harness.webhooks.listEvents(asking(ownerId, { after: start, waitSeconds: 5 }));
  assert.deepEqual([expired.expired, expired.events, expired.caughtUp], [true, [], false]);
  await harness.kafka.publish(completed(submission(projectId)));
  for (const more of [{ after: expired.nextCursor }, { after: read }, {}, { since: new Date(seq - 1) }])
    await until('the later event is found', async () => {
      const { events } = await harness.webhooks.listEvents(asking(ownerId, more));
      return events.length === 1;
    });
});

/** Returns how many records of owners.events the service has not handled. */
async function waitingRecords(): Promise<number> {
  await using progress = await readProgress(loadConfig(harness.env, kafkaVariables));
  return Number((await progress.of('owners.events', 'webhooks-feed')).waiting);
}
