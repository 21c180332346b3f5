import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSoonestTimer } from './soonest-timer.ts';

test('what was asked for at several moments is done once, at the soonest, and again when it is asked for again', t => {
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
  assert.equal(done, 1, 'the later ones are done, too');
  timer.in(100);
  t.mock.timers.tick(100);
  assert.equal(done, 2);
});

test('what was cancelled is not done', t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const timer = createSoonestTimer(() => assert.fail('it was cancelled'));
  timer.in(100);
  timer.cancel();
  t.mock.timers.tick(60_000);
});
