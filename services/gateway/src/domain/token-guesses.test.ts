import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TokenGuesses } from './token-guesses.ts';

test('an address with too many guesses waits for a while; its known tokens do not wait', () => {
  let now = 0;
  const guesses = new TokenGuesses({ maxEntries: 2, now: () => now });
  guesses.opened('good');
  assert.equal(guesses.waitSeconds('a', 'guess'), 0);
  guesses.overLimit('a', 30);
  assert.equal(guesses.waitSeconds('a', 'guess'), 30);
  assert.equal(guesses.waitSeconds('a', 'good'), 0, 'a token that opened something before is looked up');
  assert.equal(guesses.waitSeconds('b', 'guess'), 0, 'another address does not wait');
  guesses.openedNothing('good');
  assert.equal(guesses.waitSeconds('a', 'good'), 30, 'revoked since');
  now = 30_000;
  assert.equal(guesses.waitSeconds('a', 'guess'), 0);
});

test('only a bounded number of the newest addresses is remembered', () => {
  const guesses = new TokenGuesses({ maxEntries: 2, now: () => 0 });
  for (const address of ['a', 'b', 'c']) guesses.overLimit(address, 10);
  assert.deepEqual(
    ['a', 'b', 'c'].map(address => guesses.waitSeconds(address, 'x')),
    [0, 10, 10],
  );
});
