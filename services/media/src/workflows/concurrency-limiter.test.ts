import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTurns } from './concurrency-limiter.ts';

const never = new AbortController().signal;

test('no more than so many at once, the others in order', async () => {
  const turns = createTurns(2);
  const order: string[] = [];
  const note = (turn: Disposable, name: string) => {
    order.push(name);
    return turn;
  };
  const [one, two] = [await turns.take(never), await turns.take(never)];
  const three = turns.take(never).then(turn => note(turn, 'three'));
  const four = turns.take(never).then(turn => note(turn, 'four'));
  await new Promise(setImmediate);
  assert.deepEqual(order, []);
  two[Symbol.dispose]();
  const third = await three;
  assert.deepEqual(order, ['three']);
  one[Symbol.dispose]();
  const fourth = await four;
  third[Symbol.dispose]();
  fourth[Symbol.dispose]();
  using _fifth = await turns.take(never);
});

test('one that gives up waiting does not take a turn', async () => {
  const turns = createTurns(1);
  const first = await turns.take(never);
  const gone = new AbortController();
  const waiting = turns.take(gone.signal);
  gone.abort(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  const next = turns.take(never);
  first[Symbol.dispose]();
  using _next = await next;
  await assert.rejects(turns.take(AbortSignal.abort(new Error('before'))), /before/);
});
