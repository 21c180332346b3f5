import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newEvent } from '@recording-request/events/event';
import { type ReceivedRequest, type Receiver, startReceiver } from '@recording-request/harness/webhook-receiver';
import { uuidv7 } from '@recording-request/kit/ids';
import type { Event } from '@recording-request/proto/events/v1/events';
import { until } from '@recording-request/testing/wait';
import { feedOf } from './feed-helpers.ts';
import { publishAll, startTestWebhooks, type TestWebhooks } from './test-service.ts';

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

const ALL = ['link.recording', 'link.reminder_due', 'link.closed', 'project.created', 'project.updated'];
const dataOf = ({ body }: ReceivedRequest) => JSON.parse(body.toString()).data;

/** Publishes one event of each type about a new project with these `webhookEvents`. */
async function publishAbout(events: string[]) {
  const [projectId, ownerId, linkId, responseSessionId] = Array.from({ length: 4 }, uuidv7) as [
    string,
    string,
    string,
    string,
  ];
  harness.setTarget(projectId, `http://127.0.0.1:${receiver.port}/${projectId}`, [], events, ownerId);
  const about = { projectId, ownerId };
  const published: Event[] = [
    newEvent('link.recording', { $case: 'linkRecording', value: { ...about, linkId, responseSessionId } }),
    newEvent('link.reminder_due', { $case: 'linkReminderDue', value: { ...about, linkId, number: 2 } }),
    newEvent('link.closed', { $case: 'linkClosed', value: { ...about, linkId } }),
    newEvent('project.created', { $case: 'projectChanged', value: { ...about, changed: [] } }),
    newEvent('project.updated', { $case: 'projectChanged', value: { ...about, changed: ['noteEnabled'] } }),
  ];
  const mine = (request: ReceivedRequest) => request.path === `/${projectId}`;
  return { projectId, ownerId, linkId, responseSessionId, published, mine };
}

test('events about a link contain its person and address, which Kafka does not have', async () => {
  const { projectId, linkId, responseSessionId, published, mine } = await publishAbout(ALL);
  const person = { name: 'Ada', reference: 'P-17', email: '', locale: 'en', verified: true };
  const dueAt = new Date('2030-01-02T03:04:05.000Z');
  harness.links.set(linkId, { token: 'vr_token', invitation: { person, metadata: { shop: 'North' }, dueAt } });
  await publishAll(harness.kafka, [...published, ...published]);
  await receiver.waitFor(5, mine);
  const received = receiver.received.filter(mine);
  const byType = Object.fromEntries(received.map(request => [request.headers['service-event'], dataOf(request)]));
  const head = { projectId, projectName: 'Voices', submission: null, sandbox: false };
  const link = {
    tokenId: linkId,
    recipient: { name: 'Ada', reference: 'P-17', email: null, locale: 'en', verified: true },
    metadata: { shop: 'North' },
    recipientUrl: 'https://videos.example/r/vr_token',
    dueAt: dueAt.toISOString(),
  };
  assert.deepEqual(byType, {
    'link.recording': { ...head, link, responseSessionId },
    'link.reminder_due': { ...head, link, number: 2, stopUrl: 'https://videos.example/r/vr_token/reminders' },
    'link.closed': { ...head, link },
    'project.created': head,
    'project.updated': { ...head, changed: ['noteEnabled'] },
  });
  assert.equal(received.length, 5, 'a repeated event is sent once');
  assert.ok(!harness.lines.some(line => line.includes('P-17')), 'no person is in the log');
});

test('an event that the project does not request, or whose link was erased, is not sent', async () => {
  const { published, mine } = await publishAbout(['link.recording', 'project.updated']);
  // The link is unknown: it was erased after the event.
  await publishAll(harness.kafka, published);
  await receiver.waitFor(1, mine);
  const other = await publishAbout(ALL);
  await publishAll(harness.kafka, other.published);
  await receiver.waitFor(2, other.mine);
  const types = receiver.received.filter(mine).map(({ headers }) => headers['service-event']);
  assert.deepEqual(types, ['project.updated']);
});

const PERSON = { name: 'Ada', reference: 'P-17', email: '', locale: 'en', verified: true };

/** Publishes the events of a link with a person, and waits until the endpoint and the feed have them. */
async function publishWithPerson() {
  const about = await publishAbout(ALL);
  harness.links.set(about.linkId, {
    token: 'vr_token',
    invitation: { person: PERSON, metadata: {}, dueAt: undefined },
  });
  await publishAll(harness.kafka, about.published);
  await receiver.waitFor(5, about.mine);
  await feedOf(harness, about.ownerId, 5);
  return about;
}
const erasedTypes = async (ownerId: string, count: number) =>
  (await feedOf(harness, ownerId, count)).filter(({ erased }) => erased).map(({ type }) => type);
const bodiesOf = (projectId: string) =>
  harness.mongo.collection('deliveries').countDocuments({ projectId, sealedBody: { $exists: true } });

test('an erased link leaves its events without data, also those that arrive later', async () => {
  const { projectId, ownerId, linkId, published } = await publishWithPerson();
  const which = { projectId, linkId };
  for (const dryRun of [true, false]) {
    const { erased } = await harness.operator.eraseLinkDeliveries({ ...which, dryRun });
    assert.deepEqual([erased!.payloads, erased!.events], [3, 3]);
  }
  assert.deepEqual((await erasedTypes(ownerId, 5)).toSorted(), ['link.closed', 'link.recording', 'link.reminder_due']);
  assert.equal(await bodiesOf(projectId), 2);
  const closed = published.find(({ type }) => type === 'link.closed');
  await harness.kafka.publish({ ...closed!, id: uuidv7() });
  assert.equal((await erasedTypes(ownerId, 6)).length, 4, 'a late event has no data');
  assert.equal(await bodiesOf(projectId), 2, 'and is not sent');
});

test('person.erased removes the data of the events about its link only', async () => {
  const { projectId, ownerId, linkId } = await publishWithPerson();
  const other = { projectId, ownerId, linkId: uuidv7(), responseSessionId: uuidv7() };
  harness.links.set(other.linkId, { token: 'vr_other', invitation: undefined });
  await harness.kafka.publish(newEvent('link.recording', { $case: 'linkRecording', value: other }));
  await feedOf(harness, ownerId, 6);
  const value = { projectId, ownerId, linkId };
  await harness.kafka.publish(newEvent('person.erased', { $case: 'personErased', value }));
  await until('the data is erased', async () => (await erasedTypes(ownerId, 6)).length === 3);
  assert.equal(await bodiesOf(projectId), 3);
});
