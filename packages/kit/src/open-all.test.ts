import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAll } from './open-all.ts';

function door(name: string, closed: string[]) {
  return { name, close: async () => void closed.push(name) };
}

test('resources opened together are closed with the stack, the last one first', async () => {
  const closed: string[] = [];
  {
    await using stack = new AsyncDisposableStack();
    const slow = Promise.withResolvers<ReturnType<typeof door>>();
    const opening = openAll(stack, [slow.promise, Promise.resolve(7), Promise.resolve(door('quick', closed))]);
    slow.resolve(door('slow', closed));
    const [first, number, last] = await opening;
    assert.deepEqual([first.name, number, last.name], ['slow', 7, 'quick']);
    assert.deepEqual(closed, []);
  }
  assert.deepEqual(closed, ['quick', 'slow']);
});

test('when one fails, resources that others open later are closed too, and the first failure in the list is reported', async () => {
  const closed: string[] = [];
  const late = Promise.withResolvers<ReturnType<typeof door>>();
  const first = Promise.withResolvers<never>();
  async function start() {
    await using stack = new AsyncDisposableStack();
    await openAll(stack, [late.promise, first.promise, Promise.reject(new Error('the second'))]);
  }
  const starting = start();
  first.reject(new Error('the first'));
  late.resolve(door('late', closed));
  await assert.rejects(starting, /the first/);
  assert.deepEqual(closed, ['late']);
});
