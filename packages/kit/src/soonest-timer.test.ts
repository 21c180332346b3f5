import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSoonestTimer } from './soonest-timer.ts';

test('several requests cause one call at the earliest time, and a later request causes another one', t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let done = 0;
  const timer = createSoonestTimer(() => {
    done += 1;
  });
  timer.in(5_000);
  timer.in(100);
  timer.in(5_000);
  t.mock.timers.tick(99);
  assert.equal(done, 0);
  t.mock.timers.tick(1);
  assert.equal(done, 1);
  t.mock.timers.tick(60_000);
  assert.equal(done, 1, 'the later requests cause calls, too');
  timer.in(100);
  t.mock.timers.tick(100);
  assert.equal(done, 2);
});

test('a cancelled request causes no call', t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const timer = createSoonestTimer(() => assert.fail('the request was cancelled'));
  timer.in(100);
  timer.cancel();
  t.mock.timers.tick(60_000);
});
