import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOptions } from './options.ts';

test('accepts numbers, and uses defaults for missing ones', () => {
  assert.partialDeepStrictEqual(parseOptions(['--clips-per-minute', '100', '--seconds', '30']), {
    ...{ clipsPerMinute: 100, seconds: 30, megabytes: undefined, speechSeconds: 0 },
  });
});

test('a measurement needs no length of a clip', () => {
  assert.partialDeepStrictEqual(parseOptions(['--measure']), { measure: true, seconds: undefined });
});

test('reports a mistake in one sentence', () => {
  const refused = (...args: string[]) => {
    try {
      return JSON.stringify(parseOptions(args));
    } catch (error) {
      return (error as Error).message;
    }
  };
  assert.equal(refused(), '--seconds is missing: give the length of a clip. See --help.');
  assert.equal(refused('--seconds', '30s'), '--seconds takes a number from 0.1 to 14,400, not "30s".');
  assert.equal(
    refused('--seconds', '30', '--clips-per-minute', '0'),
    '--clips-per-minute takes a number from 0.01 to 1,000,000, not "0".',
  );
  assert.match(refused('--seconds', '30', '--clips', '3'), /--clips.*See --help/);
});
