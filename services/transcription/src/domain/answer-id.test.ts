import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUuid, uuidv7 } from '@recording-request/kit/ids';
import { answerId } from './answer-id.ts';

test('an answer’s id is the same for the same request, another for another answer, and a UUIDv7 of the request’s time', () => {
  const request = uuidv7();
  const id = answerId(request, 'transcript.completed');
  assert.equal(id, answerId(request, 'transcript.completed'));
  assert.notEqual(id, answerId(request, 'transcript.failed'));
  assert.notEqual(id, answerId(uuidv7(), 'transcript.completed'));
  assert.ok(isUuid(id));
  assert.match(id, /^.{8}-.{4}-7.{3}-[89ab]/);
  assert.equal(id.slice(0, 13), request.slice(0, 13));
  assert.ok(isUuid(answerId('not a uuid', 'transcript.failed')));
});
