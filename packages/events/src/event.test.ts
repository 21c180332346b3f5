import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Event } from '@recording-request/proto/events/v1/events';
import { keyOf, missingFrom, newEvent, subjectOf } from './event.ts';
import { outboxEntry } from './kafka.ts';

const about = { projectId: 'p', ownerId: 'o' };
const PROJECT_EVENTS = [
  newEvent('project.created', { $case: 'projectChanged', value: { ...about, changed: [] } }),
  newEvent('project.updated', { $case: 'projectChanged', value: { ...about, changed: ['noteEnabled'] } }),
  newEvent('link.recording', { $case: 'linkRecording', value: { ...about, linkId: 'l', responseSessionId: 'r' } }),
  newEvent('link.closed', { $case: 'linkClosed', value: { ...about, linkId: 'l' } }),
  newEvent('person.erased', { $case: 'personErased', value: { ...about, linkId: 'l' } }),
  newEvent('link.reminder_due', { $case: 'linkReminderDue', value: { ...about, linkId: 'l', number: 1 } }),
];

test('an event about a project or a link has the key of its project, and needs no submission', () => {
  for (const event of PROJECT_EVENTS) {
    assert.equal(keyOf(event), 'p', event.type);
    assert.equal(missingFrom(event), undefined, event.type);
    const { topic, key, value } = outboxEntry(event);
    assert.deepEqual([topic, key], ['projects.events', 'p']);
    assert.deepEqual(subjectOf(value), { type: event.type, projectId: 'p', submissionId: '' });
  }
});

test('an event about a project or a link lacks its project, its owner or its link', () => {
  const without = (event: Event, field: string) => {
    const copy = Event.decode(Event.encode(event).finish());
    (copy.payload!.value as unknown as Record<string, string>)[field] = '';
    return missingFrom(copy);
  };
  for (const event of PROJECT_EVENTS) {
    for (const field of ['projectId', 'ownerId']) assert.match(without(event, field)!, /project/, event.type);
    if (event.type.startsWith('link.')) assert.match(without(event, 'linkId')!, /link/);
  }
});

test('an event about a submission has the key of its submission', () => {
  const value = { projectId: 'p', submissionId: 's' };
  const event = newEvent('submission.erased', { $case: 'submissionErased', value });
  assert.equal(keyOf(event), 's');
  const lacking = newEvent('submission.erased', { $case: 'submissionErased', value: { ...value, submissionId: '' } });
  assert.match(missingFrom(lacking)!, /submission/);
});
