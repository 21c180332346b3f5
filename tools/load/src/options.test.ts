import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '@recording-request/kit/command-line';
import { parseOptions } from './options.ts';

test('by default each step takes ten minutes, and the capacity is measured', () => {
  const { minutes, steps, capacity } = parseOptions([]);
  assert.deepEqual([minutes, steps, capacity], [10, [50, 80, 150], undefined]);
});

test('accepts steps, their length, the capacity and the seed', () => {
  const args = ['--minutes', '0.5', '--steps', '80,200', '--capacity', '60', '--seed', '7'];
  const { minutes, steps, capacity, seed } = parseOptions(args);
  assert.deepEqual([minutes, steps, capacity, seed], [0.5, [80, 200], 60, 7]);
});

test('refuses a wrong argument and names valid ones', () => {
  const refused = (args: string[], words: RegExp) =>
    assert.throws(
      () => parseOptions(args),
      (error: Error) => error instanceof UsageError && words.test(error.message),
    );
  refused(['--minutes', '0'], /--minutes takes a number from 0.01 to 600, not "0"/);
  for (const steps of ['50,,80', 'a,b', '0'])
    refused(
      ['--steps', steps],
      new RegExp(`^--steps takes whole numbers from 1 to 1000 with commas between them, not "${steps}"`),
    );
  refused(['--capacity', '-5'], /^--capacity takes a whole number from 1 to 100000, not "-5"/);
  refused(['--capacity', 'much'], /--capacity takes a whole number from 1 to 100000, not "much"/);
  refused(['--fast'], /--fast.*--help/);
});
