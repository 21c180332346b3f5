import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OwnerEventJson } from '@recording-request/contract/resources/owner-event';
import type { Person } from '../owner/people.ts';
import { CLOCK_OFFSET_MS, contentViolations, personViolations, type Reminder } from './reminders.ts';

const DUE = Date.UTC(2030, 0, 1);

const someone = (more: Partial<Person> = {}): Person => ({
  ...{
    project: { projectId: 'project' } as Person['project'],
    reference: 'P-1',
    tokenId: 'link',
    url: 'https://x/r/1',
  },
  ...{ dueFrom: DUE, hasEndpoint: false, action: undefined, last: undefined, asked: 0 },
  ...more,
});

const reminder = (number: number, createdAt = DUE): Reminder => ({
  ...{ eventId: `event ${number}`, tokenId: 'link', number, createdAt: new Date(createdAt) },
});

const judge = (person: Person, numbers: number[], remindersSent = numbers.length) =>
  personViolations(
    person,
    { remindersSent },
    numbers.map(number => reminder(number)),
  ).join('\n');

test('one reminder, or none after an end, is right', () => {
  assert.equal(judge(someone(), [1]), '');
  assert.equal(judge(someone({ last: 0 }), []), '');
  assert.equal(judge(someone({ last: 1 }), [1]), '');
  assert.equal(judge(someone({ asked: 1 }), [1, 2]), '');
});

test('the check of reminders finds each kind of violation', () => {
  assert.match(judge(someone(), []), /has 0 reminders, not one at its time and 0/);
  assert.match(judge(someone(), [1, 1]), /has the reminders 1, 1/);
  assert.match(judge(someone(), [1], 2), /has the reminders 1, and the owner sees 2/);
  assert.match(judge(someone(), [2]), /has the reminders 2/);
  assert.match(judge(someone(), [1, 2]), /has 2 reminders, not one at its time and 0/);
  assert.match(judge(someone({ last: 0 }), [1]), /had 0 reminders when they ended, and has 1/);
  assert.match(judge(someone({ asked: 1 }), [1]), /has 1 reminders, not one at its time and 1/);
  const early = personViolations(someone(), { remindersSent: 1 }, [reminder(1, DUE - CLOCK_OFFSET_MS - 1)]);
  assert.match(early.join(), /was reminded 1 ms before it was due, by any clock/);
});

test('a reminder must show its own person', () => {
  const event = (reference: string) => ({
    ...{ eventId: 'event', tokenId: 'link', projectId: 'project', createdAt: new Date(DUE).toISOString() },
    data: {
      link: { tokenId: 'link', recipient: { reference }, recipientUrl: 'https://x/r/1' },
      ...{ number: 1, stopUrl: 'https://x/r/1/reminders' },
    },
  });
  const people = new Map([['link', someone()]]);
  assert.deepEqual(contentViolations([event('P-1') as unknown as OwnerEventJson], people), []);
  assert.equal(contentViolations([event('P-2') as unknown as OwnerEventJson], people).length, 1);
});
