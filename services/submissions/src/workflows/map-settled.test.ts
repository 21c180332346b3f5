import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DomainError } from '@recording-request/kit/errors';
import { mapSettled } from './map-settled.ts';

interface Turn {
  begun: unknown[];
  results?: number[];
  error?: unknown;
}

/** Runs items: numbers succeed, and errors fail. */
async function turn(items: (number | Error)[], atOnce = 1): Promise<Turn> {
  const begun: unknown[] = [];
  const work = async (item: number | Error) => {
    begun.push(item);
    if (item instanceof Error) throw item;
    return item * 2;
  };
  try {
    return { begun, results: await mapSettled(items, work, { atOnce }) };
  } catch (error) {
    return { begun, error };
  }
}

test('each item runs although others fail, and each failure is reported', async () => {
  const [broken, busy] = [new Error('the store keeps it'), new DomainError('unavailable', 'more is being stored')];
  assert.deepEqual((await turn([1, 2, 3], 2)).results, [2, 4, 6]);
  const one = await turn([broken, 1, 2]);
  assert.deepEqual([one.begun, one.error], [[broken, 1, 2], broken]);
  const both = await turn([broken, 1, busy, 2], 2);
  assert.deepEqual(both.begun, [broken, 1, busy, 2]);
  assert.deepEqual((both.error as AggregateError).errors, [broken, busy]);
});

test('an outage stops the other items and is thrown as it is', async () => {
  const outage = Object.assign(new Error('the database is down'), { name: 'MongoServerSelectionError' });
  const { begun, error } = await turn([new Error('the store keeps it'), 1, outage, 2]);
  assert.equal(error, outage);
  assert.equal(begun.length, 3);
});
