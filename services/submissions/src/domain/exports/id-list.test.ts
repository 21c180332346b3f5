import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { IdList } from './id-list.ts';

test('a list of any length returns its ids unchanged, in pages', () => {
  const ids = Array.from({ length: 1_000 }, () => randomUUID() as string);
  const list = new IdList();
  for (const id of ids) list.add(id);
  assert.equal(list.length, ids.length);
  assert.deepEqual(list.slice(0, 2_000), ids);
  assert.deepEqual(list.slice(995, 10), ids.slice(995));
  assert.deepEqual(list.slice(1_000, 10), []);
});
