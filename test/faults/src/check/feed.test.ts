import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OwnerEventJson } from '@recording-request/contract/resources/owner-event';
import type { Project } from '../owner/owner.ts';
import { dataViolations, feedViolations } from './feed.ts';

const PROJECT = 'project';

const event = (eventId: string, more: Partial<OwnerEventJson> = {}): OwnerEventJson => ({
  ...{ eventId, type: 'submission.completed', createdAt: '2030-01-01T00:00:00.000Z', projectId: PROJECT },
  ...{ submissionId: eventId, tokenId: null, erased: false, data: { submission: eventId } },
  ...more,
});

const RIGHT = [event('a'), event('b'), event('c')];

const judge = (seen: OwnerEventJson[], again = RIGHT, ledger = ['a', 'b', 'c']) =>
  feedViolations(seen, again, {
    expected: new Map(RIGHT.map(({ submissionId }) => [`submission.completed ${submissionId}`, 1])),
    ledger: new Map(ledger.map(id => [id, 'submission.completed'])),
    projects: [{ projectId: PROJECT } as Project],
    entries: [],
  }).join('\n');

const [a, b, c] = RIGHT as [OwnerEventJson, OwnerEventJson, OwnerEventJson];

test('a feed that equals the ledger is right', () => {
  assert.equal(judge(RIGHT), '');
});

test('the check of the feed finds each kind of violation', () => {
  assert.match(judge([a, c]), /second reader sees 3 events, not the 2 .*\n1 events of the ledger are missing/);
  assert.match(judge([b, a, c]), /second reader/);
  assert.match(judge([a, b, b, c]), /1 events came twice/);
  assert.match(judge([a, c], [a, c], ['a', 'c']), /submission.completed b is 0 times in the feed, not 1/);
  const d = event('d');
  assert.match(
    judge([...RIGHT, d], [...RIGHT, d]),
    /missing in the ledger.*\n.*completed d is 1 times in the feed, not 0/,
  );
  const other = event('d', { projectId: 'of another owner' });
  assert.match(judge([...RIGHT, other]), /1 events belong to another owner, such as d/);
});

test('the data of an event must be that of its webhook', () => {
  const body = (submission: string) => JSON.stringify({ id: 'a', data: { submission } });
  assert.deepEqual(dataViolations([a, b], new Map([['a', body('a')]])), []);
  assert.equal(dataViolations([a], new Map([['a', body('b')]])).length, 1);
});
