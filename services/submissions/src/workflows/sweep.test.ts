import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DomainError } from '@recording-request/kit/errors';
import { sweep } from './sweep.ts';

test('a failed step of the sweeper is reported and does not stop the others', async () => {
  const done: string[] = [];
  const step = (name: string, failure?: Error) => async () => {
    done.push(name);
    if (failure) throw failure;
  };
  const away = new DomainError('unavailable', 'projects is down');
  const broken = new Error('the store keeps an object');
  await sweep({} as never, [step('a'), step('b')]);
  await assert.rejects(sweep({} as never, [step('c', away), step('d')]), away);
  await assert.rejects(
    sweep({} as never, [step('e', away), step('f', broken), step('g')]),
    ({ errors }: AggregateError) => errors[0] === away && errors[1] === broken,
  );
  assert.deepEqual(done, ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  const outage = Object.assign(new Error('the database is down'), { name: 'MongoServerSelectionError' });
  await assert.rejects(sweep({} as never, [step('h', outage), step('i')]), outage);
  assert.equal(done.at(-1), 'h', 'the steps after an outage do not run');
});
