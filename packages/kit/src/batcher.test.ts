import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { createBatcher, sharedRead } from './batcher.ts';

/** Work that ends when the test ends it. */
function heldWork() {
  const begun: { items: string[]; end(): void; fail(error: Error): void }[] = [];
  const work = (items: string[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<string[]>();
    begun.push({ items, end: () => resolve(items.map(item => `${item} done`)), fail: reject });
    return promise;
  };
  return { begun, work };
}
const keyOf = (item: string) => item[0]!;

test('items that arrive during the work of their key form the next batch, in order', async () => {
  const { begun, work } = heldWork();
  const run = createBatcher({ keyOf, work, maxBatch: 2 });
  const outcomes = ['a1', 'a2', 'a3', 'a4', 'b1'].map(run);
  const groups = () => begun.map(({ items }) => items);
  assert.deepEqual(groups(), [['a1'], ['b1']], 'the first item of a key begins at once');
  begun[0]!.end();
  assert.equal(await outcomes[0], 'a1 done');
  assert.deepEqual(groups().slice(2), [['a2', 'a3']]);
  begun[2]!.end();
  assert.deepEqual(await Promise.all([outcomes[1], outcomes[2]]), ['a2 done', 'a3 done']);
  begun[3]!.end();
  begun[1]!.end();
  assert.deepEqual(await Promise.all([outcomes[3], outcomes[4]]), ['a4 done', 'b1 done']);
  const later = run('a5');
  assert.deepEqual(groups().at(-1), ['a5'], 'a key starts new work after its work has ended');
  begun.at(-1)!.end();
  assert.equal(await later, 'a5 done');
});

test('failed work fails only the items of its batch', async () => {
  const { begun, work } = heldWork();
  const run = createBatcher({ keyOf, work });
  const [first, second, third] = ['a1', 'a2', 'a3'].map(run);
  begun[0]!.fail(new Error('away'));
  await assert.rejects(first!, /away/);
  begun[1]!.end();
  assert.deepEqual(await Promise.all([second, third]), ['a2 done', 'a3 done']);
});

test('calls share a read, but never one that began before the call', async () => {
  let stored = 'old';
  const reads: (() => void)[] = [];
  const read = sharedRead(keyOf, () => {
    const seen = stored;
    return new Promise<string>(resolve => reads.push(() => resolve(seen)));
  });
  const first = read('a');
  stored = 'new';
  const others = ['a', 'a', 'a'].map(read);
  reads[0]!();
  assert.equal(await first, 'old');
  reads[1]!();
  assert.deepEqual(await Promise.all(others), ['new', 'new', 'new']);
  assert.equal(reads.length, 2);
});

test('work runs in the context of its first caller, not in that of the previous batch', async () => {
  const asking = new AsyncLocalStorage<string>();
  const begun: [who: string | undefined, end: () => void][] = [];
  const work = (items: string[]) =>
    new Promise<string[]>(resolve => begun.push([asking.getStore(), () => resolve(items)]));
  const run = createBatcher({ keyOf, work });
  const outcomes = ['a1', 'a2', 'a3'].map(item => asking.run(item, () => run(item)));
  begun[0]![1]();
  await outcomes[0];
  begun[1]![1]();
  await Promise.all(outcomes);
  assert.deepEqual(
    begun.map(([who]) => who),
    ['a1', 'a2'],
  );
});
