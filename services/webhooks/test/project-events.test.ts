import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newEvent } from '@recording-request/events/event';
import { type ReceivedRequest, type Receiver, startReceiver } from '@recording-request/harness/webhook-receiver';
import { uuidv7 } from '@recording-request/kit/ids';
import type { Event } from '@recording-request/proto/events/v1/events';
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
  return { projectId, linkId, responseSessionId, published, mine };
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
