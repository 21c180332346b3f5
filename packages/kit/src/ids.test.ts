import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerId, isUuid, uuidv7 } from './ids.ts';

test('an answer’s id is the same for the same request, differs for another answer, and is a UUIDv7 with the request’s time', () => {
  const request = uuidv7();
  const id = answerId(request, 'media.processed');
  assert.equal(id, answerId(request, 'media.processed'));
  assert.notEqual(id, answerId(request, 'media.failed'));
  assert.notEqual(id, answerId(uuidv7(), 'media.processed'));
  assert.ok(isUuid(id));
  assert.match(id, /^.{8}-.{4}-7.{3}-[89ab]/);
  assert.equal(id.slice(0, 13), request.slice(0, 13));
  assert.ok(isUuid(answerId('not a uuid', 'media.failed')));
});
