import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareHeard } from './words.ts';

const words = (text: string) => text.split(' ').filter(Boolean);

test('counts recognised words in order, once each', () => {
  assert.equal(shareHeard(words('my name is anna'), words('my name is anna')), 1);
  assert.equal(shareHeard(words('my name is anna'), words('my dame is an a')), 0.5);
  assert.equal(shareHeard(words('a b c d'), words('d c b a')), 0.25);
  assert.equal(shareHeard(words('yes yes'), words('yes')), 0.5);
});

test('returns 0 when no word is recognised, and 1 for silence', () => {
  assert.equal(shareHeard(words('a b'), []), 0);
  assert.equal(shareHeard([], []), 1);
  assert.equal(shareHeard([], words('invented')), 0);
});
