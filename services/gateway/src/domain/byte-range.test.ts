import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noneMatch, parseRange, rangeApplies } from './byte-range.ts';

const RANGES: [header: string | undefined, expected: ReturnType<typeof parseRange>][] = [
  [undefined, 'whole'],
  ['bytes=0-', { start: 0, end: 99 }],
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=10-19', { start: 10, end: 19 }],
  ['bytes=90-500', { start: 90, end: 99 }],
  ['BYTES=99-', { start: 99, end: 99 }],
  ['bytes=-1', { start: 99, end: 99 }],
  ['bytes=-500', { start: 0, end: 99 }],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=100-200', 'unsatisfiable'],
  ['bytes=5-4', 'whole'],
  ['bytes=-', 'whole'],
  ['bytes=0-1,5-6', 'whole'],
  ['items=0-1', 'whole'],
  ['bytes=a-b', 'whole'],
];

for (const [header, expected] of RANGES) {
  test(`a range of ${header}`, () => assert.deepEqual(parseRange(header, 100), expected));
}

test('every range of an empty object is unsatisfiable', () => {
  assert.equal(parseRange('bytes=0-', 0), 'unsatisfiable');
  assert.equal(parseRange('bytes=-5', 0), 'unsatisfiable');
});

test('If-None-Match compares weakly, If-Range strongly', () => {
  assert.equal(noneMatch('"a", W/"b"', '"b"'), true);
  assert.equal(noneMatch('*', '"b"'), true);
  assert.equal(noneMatch('"a"', '"b"'), false);
  assert.equal(noneMatch(undefined, '"b"'), false);
  assert.equal(rangeApplies(undefined, '"b"'), true);
  assert.equal(rangeApplies('"b"', '"b"'), true);
  assert.equal(rangeApplies('W/"b"', '"b"'), false);
  assert.equal(rangeApplies('Sat, 21 Nov 2026 10:00:00 GMT', '"b"'), false);
});
