import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newEvent } from '@recording-request/events/event';
import { type Receiver, startReceiver } from '@recording-request/harness/webhook-receiver';
import { uuidv7 } from '@recording-request/kit/ids';
import { createSecretBox } from '@recording-request/kit/secret-box';
import type { Event } from '@recording-request/proto/events/v1/events';
import { until } from '@recording-request/testing/wait';
import { asking, feedOf, ownerEvent, readOn } from './feed-helpers.ts';
import { completed, publishAll, startTestWebhooks, submission, type TestWebhooks } from './test-service.ts';

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

const erasure = (projectId: string, submissionId: string): Event =>
  newEvent('submission.erasure', {
    $case: 'submissionErasure',
    value: { projectId, submissionId, erasedAt: new Date() },
  });

test('the feed has every event of all projects, with the webhook’s id and data, also without an address', async () => {
  const ownerId = uuidv7();
  const [sending, silent] = [uuidv7(), uuidv7()];
  harness.setTarget(sending, receiver.url, [], ['response.completed'], ownerId);
  harness.setTarget(silent, '', [], [], ownerId);
  const clip = submission(sending, { note: 'ü' });
  const response = { projectId: sending, submissionId: clip.submissionId, responseSessionId: uuidv7() };
  const events = [
    completed(clip),
    newEvent('submission.media.completed', {
      $case: 'submissionMedia',
      value: { submission: clip, withoutTexts: false },
    }),
    newEvent('response.completed', {
      $case: 'responseCompleted',
      value: { ...response, linkId: clip.linkId, submissionIds: [clip.submissionId] },
    }),
    completed(submission(silent)),
    erasure(silent, uuidv7()),
  ];
  await publishAll(harness.kafka, events);
  const feed = await feedOf(harness, ownerId, events.length);
  assert.deepEqual(new Set(feed.map(({ eventId }) => eventId)), new Set(events.map(({ id }) => id)));

  const sent = await receiver.waitFor(2, ({ body }) => body.includes(sending));
  assert.equal(sent.length, 2, 'the project does not request submission.media.completed');
  for (const { body } of sent) {
    const { id, type, createdAt, data } = JSON.parse(body.toString());
    const event = feed.find(({ eventId }) => eventId === id)!;
    assert.deepEqual([event.type, event.createdAt!.toISOString()], [type, createdAt]);
    assert.deepEqual(JSON.parse(event.data), data);
    assert.equal(event.tokenId, clip.linkId);
  }
  const [, media, responded, , erased] = events.map(({ id }) => feed.find(({ eventId }) => eventId === id)!);
  assert.equal(JSON.parse(media!.data).submission.note, 'ü');
  assert.deepEqual([media!.submissionId, responded!.submissionId], [clip.submissionId, '']);
  assert.equal(erased!.type, 'submission.erased');
  assert.equal(erased!.submissionId, JSON.parse(erased!.data).submissionId);
});

test('an event that comes again has one place, and the data of the webhook that was recorded first', async () => {
  const ownerId = uuidv7();
  const projectId = uuidv7();
  harness.setTarget(projectId, receiver.url, [], [], ownerId);
  const event = completed(submission(projectId));
  await harness.kafka.publish(event);
  const [first] = await feedOf(harness, ownerId, 1);
  harness.setTarget(projectId, receiver.url, [], [], ownerId);
  harness.targets.get(projectId)!.projectName = 'Renamed';
  // The state after a process died between its record of the delivery and its publication of the event.
  await harness.mongo.collection('feed').deleteOne({ ownerId });
  const other = completed(submission(projectId));
  await publishAll(harness.kafka, [event, other, event]);
  const again = await feedOf(harness, ownerId, 2);
  assert.equal(again.length, 2);
  assert.deepEqual(
    again.find(({ eventId }) => eventId === event.id),
    first,
  );
});

test('the texts of the longest transcript are in the feed', async () => {
  const ownerId = uuidv7();
  const projectId = uuidv7();
  harness.setTarget(projectId, receiver.url, [], [], ownerId);
  // Random characters compress much less than any language.
  const random = (length: number) =>
    Array.from({ length }, () => String.fromCharCode(0x4e00 + Math.floor(Math.random() * 20_000))).join('');
  const clip = submission(projectId, { durationSec: 600, transcriptText: random(140_000), transcriptVtt: '' });
  clip.transcriptVtt = `WEBVTT\n\n00:00:00.400 --> 00:10:00.000\n${random(150_000)}\n`;
  harness.submissions.set(clip.submissionId, clip);
  const { transcriptText: _, transcriptVtt: __, ...bare } = clip;
  await harness.kafka.publish(
    newEvent('submission.transcript.completed', {
      $case: 'submissionTranscriptByReference',
      value: { submission: bare },
    }),
  );
  const [event] = await feedOf(harness, ownerId, 1);
  const shown = JSON.parse(event!.data).submission;
  assert.deepEqual([shown.transcriptText, shown.transcriptVtt], [clip.transcriptText, clip.transcriptVtt]);
  const [request] = await receiver.waitFor(1, ({ body }) => body.includes(projectId));
  assert.deepEqual(JSON.parse(request!.body.toString()).data, JSON.parse(event!.data));
});

test('two processes, one stopped in the middle: a reader sees every event once and in one order', async () => {
  const ownerId = uuidv7();
  const secrets = createSecretBox(harness.config.secretsKey);
  const events = await Promise.all(Array.from({ length: 200 }, () => ownerEvent({ secrets }, ownerId)));
  const another = await harness.startAnother();
  const seen: string[] = [];
  let cursor = '';
  const look = async () => {
    const page = await harness.webhooks.listEvents(asking(ownerId, { after: cursor, limit: 7 }));
    cursor = page.nextCursor;
    seen.push(...page.events.map(({ eventId }) => eventId));
  };
  const publishing = (async () => {
    for (const event of events) await harness.kafka.publish(event);
    for (const event of events.slice(-20)) await harness.kafka.publish(event);
  })();
  // A rebalance alone may take 20 s.
  const patience = { limitMs: 90_000 };
  const half = async () => {
    await look();
    return seen.length >= 100;
  };
  await until('half of the events are read', half, patience);
  await another.stop();
  await publishing;
  const all = async () => {
    await look();
    return seen.length >= events.length;
  };
  await until('all events are read', all, patience);
  assert.deepEqual(
    seen,
    events.map(({ id }) => id),
  );
  await look();
  assert.equal(seen.length, events.length);
});

test('filters keep what they name, and the cursor moves past the rest', async () => {
  const ownerId = uuidv7();
  const [first, second] = [uuidv7(), uuidv7()];
  for (const projectId of [first, second]) harness.setTarget(projectId, '', [], [], ownerId);
  await publishAll(harness.kafka, [
    ...Array.from({ length: 3 }, () => completed(submission(first))),
    erasure(first, uuidv7()),
    completed(submission(second)),
  ]);
  const all = await feedOf(harness, ownerId, 5);
  const kept = async (more: object) => (await readOn(harness.webhooks, ownerId, more)).events;
  assert.deepEqual(
    await kept({ types: ['submission.erased'] }),
    all.filter(({ type }) => type === 'submission.erased'),
  );
  assert.deepEqual(
    await kept({ projectId: second, types: ['submission.completed', 'submission.erased'] }),
    all.filter(({ projectId }) => projectId === second),
  );
  assert.deepEqual(await kept({ limit: 1 }), all);
  assert.deepEqual(
    await kept({ projectId: first, limit: 1 }),
    all.filter(({ projectId }) => projectId === first),
  );
  const { events, cursor } = await readOn(harness.webhooks, ownerId, { types: ['webhook.failing'] });
  assert.deepEqual(events, []);
  assert.deepEqual(await kept({ after: cursor }), []);

  const { seq } = (await harness.mongo.collection('feed').findOne({ ownerId, eventId: all[2]!.eventId }))!;
  assert.deepEqual(await kept({ since: new Date(seq) }), all.slice(2));
  assert.deepEqual(await kept({ since: new Date(seq + 1) }), all.slice(3));
  assert.deepEqual(await kept({ since: new Date(Date.now() + 3_600_000) }), []);
  assert.deepEqual(await kept({ since: new Date(0) }), all);
});

test('an owner sees nothing of another owner, and cannot use another owner’s cursor', async () => {
  const [ada, bob] = [uuidv7(), uuidv7()];
  const [ofAda, ofBob] = [uuidv7(), uuidv7()];
  harness.setTarget(ofAda, '', [], [], ada);
  harness.setTarget(ofBob, '', [], [], bob);
  await publishAll(harness.kafka, [completed(submission(ofAda)), completed(submission(ofBob))]);
  const [event] = await feedOf(harness, ada, 1);
  assert.equal(event!.projectId, ofAda);
  assert.deepEqual((await readOn(harness.webhooks, bob, { projectId: ofAda })).events, []);
  const { cursor } = await readOn(harness.webhooks, ada);
  await assert.rejects(harness.webhooks.listEvents(asking(bob, { after: cursor })), { code: 'invalid' });
  for (const after of ['x', `${cursor}x`, Buffer.from('1.5.').toString('base64url')])
    await assert.rejects(harness.webhooks.listEvents(asking(ada, { after })), { code: 'invalid' });
  for (const more of [{ limit: 0 }, { limit: 201 }, { waitSeconds: 26 }, { after: cursor, since: new Date() }])
    await assert.rejects(harness.webhooks.listEvents(asking(ada, more)), { code: 'invalid' });
});

test('the database and the log contain no data of events in plain text', async () => {
  const ownerId = uuidv7();
  const projectId = uuidv7();
  harness.setTarget(projectId, '', [], [], ownerId);
  await harness.kafka.publish(completed(submission(projectId, { note: 'a very secret note' })));
  const [event] = await feedOf(harness, ownerId, 1);
  assert.match(event!.data, /a very secret note/);
  const rows = await harness.mongo.collection('feed').find({ ownerId }).toArray();
  assert.doesNotMatch(JSON.stringify(rows), /secret note/);
  assert.doesNotMatch(harness.lines.join('\n'), /secret note/);
});
