import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge, tooLong } from './landing.ts';

test('a take may exceed the limit by two seconds, and the refusal names the limit', () => {
  assert.equal(tooLong(122, 120, 2), undefined);
  assert.match(tooLong(122.1, 120, 2)!, /122 seconds long.*at most 120/);
});

test('bytes that are no video are refused, unless they were delivered without an inspection', () => {
  const response = { answers: [{ submissionId: 'another' }] };
  const finding = { notVideo: 'This is no video.' };
  assert.deepEqual(judge(finding, response, 'mine', 2), {
    refusal: { reason: 'not_video', error: 'This is no video.' },
  });
  assert.deepEqual(judge(finding, { answers: [{ submissionId: 'mine' }] }, 'mine', 2), { inspection: undefined });
  assert.deepEqual(judge({ inspection: undefined }, response, 'mine', 2), { inspection: undefined });
});
