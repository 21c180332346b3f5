import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFairSlots, type FairSlots, ownName, type Path, QueueFullError } from './fair-slots.ts';

const never = new AbortController().signal;
const settled = () => new Promise(setImmediate);

/** Takes slots under a path until one is refused. */
function takeAll(slots: FairSlots, ...paths: [Path, ...Path[]]): Disposable[] {
  const taken: Disposable[] = [];
  for (let slot = slots.tryTake(...paths); slot; slot = slots.tryTake(...paths)) taken.push(slot);
  return taken;
}

/** Waits for a slot, and records the name when it gets one. */
function waitFor(slots: FairSlots, path: Path, served: string[], name: string = path[0]): Promise<Disposable> {
  return slots.take(path, never).then(slot => {
    served.push(name);
    return slot;
  });
}

test('one owner gets half of the slots, two get a third each, and a newcomer always gets one', () => {
  const slots = createFairSlots(12);
  const first = takeAll(slots, ['a']);
  assert.equal(first.length, 6);
  assert.equal(takeAll(slots, ['b']).length, 3);
  assert.ok(slots.tryTake(['c']), 'a newcomer');
  for (const slot of first.splice(0, 3)) slot[Symbol.dispose]();
  const held = { a: 3, b: 3 };
  for (let turns = 0; turns < 6; turns++)
    for (const name of ['a', 'b'] as const) if (slots.tryTake([name])) held[name] += 1;
  assert.ok(Math.abs(held.a - held.b) <= 1, `a holds ${held.a} and b ${held.b}`);
  assert.ok(slots.used() < 12);
});

test('a newcomer gets a free slot whatever the number of busy owners', () => {
  for (const capacity of [1, 2, 3, 4, 7, 100])
    for (let busy = 0; busy < capacity; busy++) {
      const slots = createFairSlots(capacity);
      for (let owner = 0; owner < busy; owner++) takeAll(slots, [`busy ${owner}`, 'link', 'address']);
      const isFull = slots.used() === capacity;
      assert.equal(slots.tryTake(['new', 'link', 'address']) !== undefined, !isFull, `${busy} of ${capacity}`);
      assert.ok(!isFull || busy >= Math.log2(capacity), `${busy} owners filled ${capacity}`);
    }
});

test('an owner’s share is divided among its links, and a link’s share among its addresses', () => {
  const slots = createFairSlots(80);
  assert.equal(takeAll(slots, ['owner', 'link', 'address']).length, 10);
  assert.ok(slots.tryTake(['owner', 'link', 'another address']));
  assert.ok(slots.tryTake(['owner', 'another link', 'address']));
  for (let link = 0; link < 3; link++)
    for (let address = 0; address < 3; address++) takeAll(slots, ['owner', `link ${link}`, `address ${address}`]);
  assert.ok(slots.used() <= 40, `one owner holds ${slots.used()} of 80`);
  assert.ok(slots.tryTake(['owner', 'new link', 'address']), 'a newcomer among the links');
});

test('a slot under two paths needs both, is counted once and is returned to both', () => {
  const slots = createFairSlots(16);
  const both = (link: string): [Path, Path] => [
    ['owner', link],
    ['address', link],
  ];
  const taken = ['x', 'y', 'z'].flatMap(link => takeAll(slots, ...both(link)));
  assert.equal(slots.used(), taken.length);
  assert.ok(taken.length <= 8);
  // Another owner at the same address holds no slot there yet, so it gets one.
  assert.ok(slots.tryTake(['another owner', 'w'], ['address', 'w']));
  for (const slot of taken) slot[Symbol.dispose]();
  assert.equal(slots.used(), 1);
});

test('returning a slot twice returns it once', () => {
  const slots = createFairSlots(2);
  const slot = slots.tryTake(['a'])!;
  slots.tryTake(['b']);
  slot[Symbol.dispose]();
  slot[Symbol.dispose]();
  assert.equal(slots.used(), 1);
});

test('waiting owners are served in turn, whatever the number of waiting calls of each', async () => {
  const slots = createFairSlots(1, { queued: 100 });
  const served: string[] = [];
  const wait = async (name: string) => {
    using _slot = await waitFor(slots, [name], served);
    await settled();
  };
  const running = slots.tryTake(['busy'])!;
  const waiting = [...Array.from({ length: 4 }, () => wait('busy')), wait('b'), wait('b'), wait('c')];
  running[Symbol.dispose]();
  await Promise.all(waiting);
  assert.deepEqual(served, ['busy', 'b', 'c', 'busy', 'b', 'busy', 'busy']);
});

test('an owner that returns again and again does not overtake a waiting one', async () => {
  const slots = createFairSlots(1, { queued: 10 });
  const served: string[] = [];
  let holding = await slots.take(['a'], never);
  const patient = waitFor(slots, ['patient'], served);
  for (const name of ['b', 'c']) void waitFor(slots, [name], served).then(slot => slot[Symbol.dispose]());
  holding[Symbol.dispose]();
  holding = await patient;
  assert.deepEqual(served, ['patient']);
  const again = waitFor(slots, ['patient'], served);
  holding[Symbol.dispose]();
  (await again)[Symbol.dispose]();
  assert.deepEqual(served, ['patient', 'b', 'c', 'patient']);
});

test('a waiting owner gets at most its share, and a waiting newcomer is served first', async () => {
  const slots = createFairSlots(4, { queued: 100 });
  const served: string[] = [];
  const busy = takeAll(slots, ['busy']);
  assert.equal(busy.length, 2);
  for (let count = 0; count < 6; count++) void waitFor(slots, ['busy'], served);
  const other = slots.tryTake(['other'])!;
  void waitFor(slots, ['third'], served);
  await settled();
  assert.deepEqual(served, ['third'], 'it takes the free slot at once');
  void waitFor(slots, ['fourth'], served);
  other[Symbol.dispose]();
  await settled();
  assert.deepEqual(served, ['third', 'fourth']);
  busy[0]![Symbol.dispose]();
  busy[1]![Symbol.dispose]();
  await settled();
  assert.deepEqual(served, ['third', 'fourth', 'busy'], 'one slot is left for a newcomer');
});

test('a caller that stops waiting is not served, and its place in the queue is free again', async () => {
  const slots = createFairSlots(1, { queued: 2 });
  const held = slots.tryTake(['a'])!;
  const gone = new AbortController();
  const leaving = slots.take(['b'], gone.signal);
  await assert.rejects(slots.take(['b'], never), QueueFullError);
  assert.equal(slots.waiting(), 1);
  gone.abort(new Error('gone'));
  await assert.rejects(leaving, /gone/);
  assert.equal(slots.waiting(), 0);
  const next = slots.take(['b'], never);
  held[Symbol.dispose]();
  using _slot = await next;
  await assert.rejects(slots.take(['c'], gone.signal), /gone/);
});

test('one owner does not fill the queue', async () => {
  const slots = createFairSlots(1, { queued: 8 });
  slots.tryTake(['a']);
  const results: unknown[] = [];
  for (let count = 0; count < 8; count++) slots.take(['busy'], never).catch(error => results.push(error));
  await settled();
  assert.equal(results.length, 4);
  assert.ok(results.every(error => error instanceof QueueFullError));
  let wasRefused = false;
  slots.take(['new'], never).catch(() => {
    wasRefused = true;
  });
  await settled();
  assert.equal(wasRefused, false);
  assert.equal(slots.waiting(), 5);
});

test('amounts are shared by the same rule, and no owner overtakes a waiting one that holds nothing', async () => {
  const bytes = createFairSlots(100, { queued: 20 });
  const served: string[] = [];
  const run = async (owner: string, amount: number, work: Promise<void>) => {
    using _held = await bytes.take([owner], never, amount);
    served.push(owner);
    await work;
  };
  const ends = Array.from({ length: 2 }, () => Promise.withResolvers<void>());
  const over = Promise.resolve();
  const all = [
    run('a', 40, ends[0]!.promise),
    run('a', 40, over),
    run('b', 50, ends[1]!.promise),
    run('more than there is', 1_000, over),
    run('c', 5, over),
  ];
  await settled();
  assert.deepEqual(served, ['a', 'b'], 'a second amount of the first owner would leave less than it holds');
  ends[0]!.resolve();
  await settled();
  assert.deepEqual(served, ['a', 'b', 'a'], 'the last amount would fit, but does not overtake');
  ends[1]!.resolve();
  await Promise.all(all);
  assert.deepEqual(served.slice(3), ['more than there is', 'c']);
  assert.equal(bytes.used(), 0);
});

test('callers with unique names get every slot, and waiting ones are served in order', async () => {
  const slots = createFairSlots(2, { queued: 4 });
  const [one, two] = [slots.tryTake(ownName())!, slots.tryTake(ownName())!];
  assert.equal(slots.tryTake(ownName()), undefined);
  const order: string[] = [];
  const { signal } = new AbortController();
  const wait = async (name: string) => {
    const slot = await slots.take(ownName(), signal);
    order.push(name);
    return slot;
  };
  const [three, four] = [wait('three'), wait('four')];
  one[Symbol.dispose]();
  one[Symbol.dispose]();
  const third = await three;
  assert.equal(slots.tryTake(ownName()), undefined, 'the slot goes to the waiting caller');
  two[Symbol.dispose]();
  third[Symbol.dispose]();
  (await four)[Symbol.dispose]();
  assert.deepEqual([order, slots.used()], [['three', 'four'], 0]);
});
