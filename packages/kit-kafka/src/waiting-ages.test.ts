import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWaitingAges } from './waiting-ages.ts';

const position = (at: number, end: number, partition = 0) => ({ partition, at: BigInt(at), end: BigInt(end) });

test('the age grows from the first reading of a record until the group handles it', () => {
  const ages = createWaitingAges();
  assert.equal(ages.ageMs('group', [position(5, 5)], 0), 0);
  assert.equal(ages.ageMs('group', [position(5, 6)], 15), 0);
  assert.equal(ages.ageMs('group', [position(5, 9)], 30), 15);
  assert.equal(ages.ageMs('group', [position(5, 9)], 45), 30);
  assert.equal(ages.ageMs('group', [position(6, 9)], 60), 30, 'the next record was first seen at the later reading');
  assert.equal(ages.ageMs('group', [position(9, 9)], 75), 0);
  assert.equal(ages.ageMs('group', [position(9, 10)], 90), 0);
});

test('each group and topic has the age of the oldest record in its partitions', () => {
  const ages = createWaitingAges();
  ages.ageMs('one', [position(0, 1, 0), position(3, 3, 1)], 0);
  assert.equal(ages.ageMs('one', [position(0, 1, 0), position(3, 4, 1)], 20), 20);
  assert.equal(ages.ageMs('one', [position(1, 1, 0), position(3, 4, 1)], 50), 30);
  assert.equal(ages.ageMs('another', [position(0, 1, 0)], 50), 0);
});

test('a group that stops for a day under load keeps a limited history and its age', () => {
  const ages = createWaitingAges();
  const readings = (24 * 3_600) / 15;
  let age = 0;
  for (let index = 0; index < readings; index++) age = ages.ageMs('group', [position(0, index + 1)], index * 15_000);
  assert.equal(age, (readings - 1) * 15_000);
  const halfway = ages.ageMs('group', [position(readings / 2, readings + 1)], readings * 15_000);
  assert.ok(Math.abs(halfway - (readings / 2) * 15_000) < 0.1 * readings * 15_000, `${halfway} ms`);
});
