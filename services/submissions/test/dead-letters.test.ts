import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newEvent, UNKNOWN_EVENT } from '@recording-request/events/event';
import { uuidv7 } from '@recording-request/kit/ids';
import { Event } from '@recording-request/proto/events/v1/events';
import { until } from '@recording-request/testing/wait';
import { recordDeadLetter } from '../src/workflows/dead-letters/record-dead-letter.ts';
import { collectionsWith, database, eraseSubmission, failed, harness, kafka, landed, store } from './erasable-clips.ts';

test('a record that its consumer cannot handle becomes a dead letter: listed, replayed, dropped, erased with its clip', async () => {
  const { projectId, submissionId } = await landed(await harness.project(), 0, 'n');
  // The event contains no video, so no retry can help.
  const lacking = {
    projectId,
    submissionId,
    video: undefined,
    audio: undefined,
    thumbnails: [],
    inspection: undefined,
  };
  const publish = () => kafka.publish(newEvent('media.processed', { $case: 'mediaProcessed', value: lacking }));
  const letters = async (count: number) => {
    const found = await until(`${count} dead letters`, async () => {
      const page = { pageSize: 0, cursor: '', oldestFirst: false };
      const { deadLetters } = await harness.operator.listDeadLetters(page);
      const ours = deadLetters.filter(each => each.submissionId === submissionId);
      return ours.length === count && ours;
    });
    return found.map(({ deadLetterId }) => deadLetterId);
  };
  await publish();
  const [first = ''] = await letters(1);
  const { deadLetter } = await harness.operator.getDeadLetter({ deadLetterId: first });
  const { topic, group, reason, eventType } = deadLetter!;
  assert.deepEqual(
    { topic, group, reason, eventType },
    {
      ...{ topic: 'media.events', group: 'submissions', eventType: 'media.processed' },
      reason: 'the event lacks the video that was made',
    },
  );
  assert.ok(deadLetter!.valueBytes > 0);

  await harness.operator.replayDeadLetter({ deadLetterId: first });
  const [second = ''] = await until('the replayed record fails again', async () => {
    const now = await letters(1);
    return now[0] !== first && now;
  });
  await assert.rejects(harness.operator.replayDeadLetter({ deadLetterId: first }), {
    message: /replayed before, at 20/,
  });
  await assert.rejects(harness.operator.getDeadLetter({ deadLetterId: 'x' }), { code: 'not_found' });

  const { deadLetter: dropped } = await harness.operator.dropDeadLetter({ deadLetterId: second });
  assert.ok(dropped!.droppedAt);
  await assert.rejects(harness.operator.replayDeadLetter({ deadLetterId: second }), { message: /was dropped at 20/ });
  await letters(0);
  const kept = await database
    .db!.collection('deadLetters')
    .find({ value: { $ne: null } })
    .toArray();
  assert.deepEqual(kept, [], 'an ended dead letter keeps no content');

  await publish();
  const late = { topic: 'media.events', partition: 0, offset: uuidv7(), group: 'submissions', reason: 'too large' };
  const content = { key: Buffer.from(submissionId), value: null, tooLarge: true };
  // Records the dead letter that an outbox records when it cannot publish an event.
  await recordDeadLetter({ deadLetters: failed, erasures: store }, { ...late, ...content }, new Date());
  const both = await letters(2);
  const oldestFirst = { pageSize: 1, oldestFirst: true };
  const walked = await harness.operator.listDeadLetters({ ...oldestFirst, cursor: '' });
  const rest = await harness.operator.listDeadLetters({ ...oldestFirst, cursor: walked.nextCursor });
  const seen = [...walked.deadLetters, ...rest.deadLetters].map(each => each.deadLetterId);
  assert.deepEqual(seen, both.toReversed(), 'the oldest first, page by page');
  const would = await eraseSubmission(submissionId, true);
  assert.equal(would.erased!.deadLetters, 4);
  assert.equal((await eraseSubmission(submissionId)).erased!.deadLetters, 4);
  await recordDeadLetter({ deadLetters: failed, erasures: store }, { ...late, ...content }, new Date());
  assert.ok(
    !(await collectionsWith(submissionId)).includes('deadLetters'),
    'an erased submission gets no dead letters',
  );
});

/** Returns events of a later version: one has an unknown payload, and one has a newer schema version. */
const futureEvents = (about: { projectId: string; submissionId: string }) => {
  const event = newEvent('media.failed', { $case: 'mediaFailed', value: { ...about, reason: 'r', clipAtFault: true } });
  const unknown = Event.encode({ ...event, type: 'media.sharpened', payload: undefined }).finish();
  return [
    Buffer.concat([unknown, Buffer.from([0xfa, 0x01, 0x00])]),
    Event.encode({ ...event, schemaVersion: 2 }).finish(),
  ];
};

test('an event that its consumer does not know waits, and is handled once a version that knows it runs', async () => {
  const { projectId, submissionId } = await landed(await harness.project(), 0, 'n');
  await harness.landed.updateOne(
    { _id: submissionId },
    { $set: { transcriptStatus: 'processing', transcriptRequest: 1 } },
  );
  const about = { projectId, submissionId };
  const key = Buffer.from(submissionId);
  for (const value of futureEvents(about))
    await kafka.replay({ topic: 'media.events', group: 'submissions', key, value: Buffer.from(value) });
  const waiting = (id?: string) =>
    harness.connection
      .db!.collection('deadLetters')
      .find({ submissionId, ...(id && { _id: id as never }) })
      .toArray();
  const unknown = await until('both wait', async () => {
    const found = await waiting();
    return found.length === 2 && found.every(({ retryAt }) => retryAt) && found;
  });
  for (const { reason } of unknown)
    assert.equal(reason, 'the event lacks an id, or a payload that is known here', 'as earlier versions say');

  // A process of the previous version stores an unknown event in this form.
  const words = { ...about, requestNumber: 1, text: 'known by now', vtt: 'WEBVTT\n' };
  const event = newEvent('transcript.completed', { $case: 'transcriptCompleted', value: words });
  const from = { topic: 'transcription.events', partition: 0, offset: '7', group: 'submissions-transcripts' };
  const value = Buffer.from(Event.encode(event).finish());
  const parked = { ...from, ...about, reason: UNKNOWN_EVENT, eventType: event.type, at: new Date() };
  await failed.add({ id: 'known', ...parked, valueBytes: value.length }, { key, value });
  await until('the event that is known is handled', async () => {
    const found = await harness.landed.findOne({ _id: submissionId });
    return found?.transcriptText === 'known by now';
  });
  assert.deepEqual(await waiting('known'), [], 'the handled event no longer waits');

  await until('the others are retried and still wait', async () => {
    const now = await waiting();
    return now.length === 2 && now.every(({ retryAt }, at) => retryAt > unknown[at]!.retryAt);
  });
  const { deadLetters } = await harness.operator.listDeadLetters({ pageSize: 0, cursor: '', oldestFirst: true });
  const shown = deadLetters.filter(each => each.submissionId === submissionId);
  assert.ok(
    shown.length === 2 && shown.every(({ retryAt }) => retryAt),
    'the operator sees the time of the next retry',
  );
});
