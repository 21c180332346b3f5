import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createDispatcher } from './dispatcher.ts';

function watched(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const dispatcher = createDispatcher();
  let turns = 0;
  dispatcher.onWake(() => {
    turns += 1;
  });
  return { dispatcher, turns: () => turns, after: (ms: number) => t.mock.timers.tick(ms) };
}

test('clips that land together are dispatched in one turn, soon after', t => {
  const { dispatcher, turns, after } = watched(t);
  for (let landed = 0; landed < 100; landed += 1) dispatcher.wakeAfterLanding();
  assert.equal(turns(), 0, 'the answer and the webhook of a landing go first');
  after(100);
  assert.equal(turns(), 1);
  dispatcher.wakeAfterLanding();
  after(100);
  assert.equal(turns(), 2);
});

test('a job that has ended makes room for another one at once', t => {
  const { dispatcher, turns } = watched(t);
  dispatcher.wake();
  assert.equal(turns(), 1);
});

test('a clip that lands does not wait for a later look', t => {
  const { dispatcher, turns, after } = watched(t);
  dispatcher.wakeIn(10_000);
  dispatcher.wakeAfterLanding();
  after(100);
  assert.equal(turns(), 1);
});
