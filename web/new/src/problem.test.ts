import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeOf } from './problem.ts';

const FIELDS = ['projectName', 'maxDurationSec', 'remind'];

test('finds the field that a sentence of the API begins with', () => {
  assert.deepEqual(placeOf('maxDurationSec must be at most 600', FIELDS), {
    field: 'maxDurationSec',
    person: undefined,
  });
  assert.deepEqual(placeOf('remind.afterDays[0] must be a whole number', FIELDS), {
    field: 'remind',
    person: undefined,
  });
});

test('finds the person that a sentence is about', () => {
  assert.deepEqual(placeOf('recipients[12].email must be an email address', FIELDS), { field: 'people', person: 12 });
  assert.deepEqual(placeOf('recipients must have at most 10,000 items', FIELDS), {
    field: 'people',
    person: undefined,
  });
});

test('finds no field in another sentence', () => {
  assert.deepEqual(placeOf('Your allowance has no videos left.', FIELDS), { field: undefined, person: undefined });
});
