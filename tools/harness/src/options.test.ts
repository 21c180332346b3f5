import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decimal, named, wholeNumber } from './options.ts';

const ALL = ['kafka-down', 'kafka-paused', 'restore'].map(name => ({ name }));

test('refuses numbers outside their range, and other text, with the range', () => {
  const range = { min: 1, max: 1_500 };
  assert.deepEqual([wholeNumber('--n', '1', range), decimal('--n', '1.5', range)], [1, 1.5]);
  for (const text of ['0', '1501', '1.5', '-1', '1e2', ''])
    assert.throws(() => wholeNumber('--n', text, range), /^Error: --n takes a whole number from 1 to 1500, not "/);
  for (const text of ['0.9', '-2', 'x']) assert.throws(() => decimal('--n', text, range), /a number from 1 to 1,500/);
});

test('accepts the beginning of a name, keeps the order, and refuses an unknown name', () => {
  const names = (list?: string) => named(list, ALL, 'case').map(({ name }) => name);
  assert.deepEqual(names('restore,kafka-p'), ['kafka-paused', 'restore']);
  assert.deepEqual(names(), ['kafka-down', 'kafka-paused', 'restore']);
  assert.throws(() => names('kafka,moon'), /^Error: No case is called moon: see --list\.$/);
});
