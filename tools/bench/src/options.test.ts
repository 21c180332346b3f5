import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '@recording-request/kit/command-line';
import { helpOf, parseOptions } from './options.ts';
import type { Row } from './row.ts';

const row = (name: string): Row => ({
  name,
  title: `row ${name}`,
  needs: [],
  goals: [],
  self: [],
  minutes: 1,
  prepare: async () => ({}),
});
const ALL = [row('1'), row('2'), row('10')];

test('without arguments all rows are measured, each with its own number of rounds', () => {
  const { rows, rounds, help } = parseOptions([], ALL);
  assert.deepEqual([rows, rounds, help], [ALL, undefined, false]);
});

test('a row marked `named` is measured only when it is named', () => {
  const long = { ...row('11'), named: true };
  const names = (args: string[]) => parseOptions(args, [...ALL, long]).rows.map(({ name }) => name);
  assert.deepEqual(names([]), ['1', '2', '10']);
  assert.deepEqual(names(['11']), ['11']);
});

test('a run is limited to an hour unless rows or rounds are given', () => {
  const bounded = (...args: string[]) => parseOptions(args, ALL).bounded;
  assert.deepEqual([bounded(), bounded('--seed', '7')], [true, true]);
  assert.deepEqual([bounded('1'), bounded('--rounds', '36')], [false, false]);
});

test('rows are measured in the order of the table', () => {
  const { rows, rounds, seed } = parseOptions(['10', '1', '--rounds', '2', '--seed', '7'], ALL);
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['1', '10'],
  );
  assert.deepEqual([rounds, seed], [2, 7]);
});

test('a wrong argument is refused with the allowed values', () => {
  const refused = (args: string[], words: RegExp) =>
    assert.throws(
      () => parseOptions(args, ALL),
      (error: Error) => error instanceof UsageError && words.test(error.message),
    );
  refused(['3'], /no row 3: name one of 1, 2, 10/);
  refused(['--rounds', '0'], /--rounds takes a whole number from 1 to 36, not "0"/);
  refused(['--rounds', 'many'], /not "many"/);
  refused(['--quick'], /--quick.*--help/);
});

test('the help names every row', () => {
  for (const { title } of ALL) assert.match(helpOf(ALL), new RegExp(title));
});

test('profiles are kept when a folder is given', () => {
  assert.equal(parseOptions(['1', '--profile', 'kept'], ALL).profile, 'kept');
  assert.equal(parseOptions(['1'], ALL).profile, undefined);
});
