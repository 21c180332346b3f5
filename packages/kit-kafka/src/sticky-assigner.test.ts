import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Member, sharePartitions } from './sticky-assigner.ts';

const share = (count: number, members: Record<string, number[]>) => {
  const partitions = Array.from({ length: count }, (_, i) => i);
  const list: Member[] = Object.entries(members).map(([id, held]) => ({ id, held }));
  const shares = sharePartitions(list, partitions);
  const all = [...shares.values()].flat().toSorted((a, b) => a - b);
  assert.deepEqual(all, partitions, 'each partition has one member');
  const sizes = [...shares.values()].map(({ length }) => length);
  assert.ok(Math.max(...sizes) - Math.min(...sizes) <= 1, `uneven: ${sizes}`);
  return Object.fromEntries(shares);
};

test('a member that joins takes what others have least to do in', () => {
  assert.deepEqual(share(6, { a: [5, 0, 1, 2, 3, 4], b: [] }), { a: [5, 0, 1], b: [2, 3, 4] });
});

test('what a member had goes to the others, who keep theirs', () => {
  assert.deepEqual(share(6, { a: [1, 4], c: [5, 0] }), { a: [1, 4, 2], c: [5, 0, 3] });
});

test('more members than partitions, two that claim one partition, partitions that are gone', () => {
  share(2, { a: [1], b: [], c: [0] });
  share(3, { a: [0, 1], b: [0, 1] });
  share(2, { a: [7, 9], b: [] });
  share(7, { a: [0, 1, 2, 3, 4, 5, 6], b: [6, 5], c: [] });
});
