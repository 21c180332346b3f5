import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecipientLinkJson } from '@recording-request/contract/resources/link';
import { countFigures, csvOf, isOverdue, type Person, personOf, shownOf, type View } from './person.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const ALL: View = { figure: 'all', reminded: 'anyReminders', search: '', sort: undefined, descending: false };

function person(number: number, more: Partial<RecipientLinkJson> = {}, name: string | null = null): Person {
  const link = {
    ...{ tokenId: `id-${number}`, token: 'vr_x', linkType: 'unique', status: 'active', maxUses: 1, submissionCount: 0 },
    ...{ remainingUses: 1, openedAt: null, submittedAt: null, expiresAt: null, createdAt: '2026-03-01T00:00:00Z' },
    ...{ recipientUrl: `https://rr.example/r/vr_${number}`, completedAt: null, metadata: {}, dueAt: null },
    ...{ changedAt: '2026-03-01T00:00:00Z', state: 'invited', answersSent: null, questionCount: null, sandbox: false },
    ...{ remindersSent: 0, remindersStopped: false },
    recipient: name === null ? null : { name, reference: null, email: null, locale: null, verified: true },
    ...more,
  } as RecipientLinkJson;
  return personOf(link, number, 0);
}

const PEOPLE = [
  person(1, { state: 'sent', submissionCount: 2, dueAt: '2026-03-01T00:00:00Z' }, 'Zoë'),
  person(2, { dueAt: '2026-03-09T00:00:00Z', remindersSent: 2 }, 'Åke 10'),
  person(3, { state: 'opened', metadata: { team: 'Köln' }, remindersStopped: true }, 'Åke 9'),
  person(4, { dueAt: '2026-04-01T00:00:00Z' }),
];
const numbers = (view: Partial<View>) => shownOf(PEOPLE, { ...ALL, ...view }, NOW).map(({ number }) => number);

test('the figures count states, and those who are overdue', () => {
  assert.deepEqual(countFigures(PEOPLE, NOW), {
    all: 4,
    invited: 2,
    opened: 1,
    recording: 0,
    sent: 1,
    overdue: 1,
    closed: 0,
  });
  assert.deepEqual(
    PEOPLE.map(each => isOverdue(each, NOW)),
    [false, true, false, false],
  );
});

test('a search finds every word in any text, without letter case and marks', () => {
  assert.deepEqual(numbers({ search: 'ake' }), [2, 3]);
  assert.deepEqual(numbers({ search: 'KOLN åke' }), [3]);
  assert.deepEqual(numbers({ search: 'zoe', figure: 'invited' }), []);
  assert.deepEqual(numbers({ search: ' 4 ' }), [4]);
});

test('filters and orders combine; people without a value come last in both directions', () => {
  assert.deepEqual(numbers({ sort: 'person' }), [3, 2, 1, 4]);
  assert.deepEqual(numbers({ sort: 'person', descending: true }), [1, 2, 3, 4]);
  assert.deepEqual(numbers({ sort: 'due' }), [1, 2, 4, 3]);
  assert.deepEqual(numbers({ sort: 'state', descending: true }), [1, 3, 2, 4]);
  assert.deepEqual(numbers({ reminded: 'neverReminded', figure: 'invited' }), [4]);
  assert.deepEqual(numbers({ reminded: 'remindersStopped' }), [3]);
});

test('a downloaded table has the columns of links.csv, and no formula', () => {
  const [header, row] = csvOf([person(5, { token: '', metadata: { team: 'A' } }, '=1+1')]).split('\r\n');
  assert.equal(
    header,
    '\ufeffname,reference,email,locale,recipientUrl,state,dueAt,tokenId,metadata,remindersSent,remindersStopped',
  );
  assert.equal(row, `"'=1+1",,,,,"invited",,"id-5","{""team"":""A""}",0,"false"`);
});
