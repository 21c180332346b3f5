import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '@recording-request/kit/command-line';
import { parseOptions } from './options.ts';

const NAMES = ['store-slow', 'speech-away', 'delay-store', 'delay-speech'];
const ALL = NAMES.map(name => ({ name }));

test('by default runs every drill, divides windows by 60, and chooses a seed', () => {
  const { seed, ...others } = parseOptions([], ALL);
  assert.deepEqual(others, { only: NAMES, factor: 60, list: false, help: false });
  assert.match(seed, /^\w+$/);
});

test('accepts a seed', () => {
  assert.equal(parseOptions(['--seed', 'abc'], ALL).seed, 'abc');
});

test('accepts the beginning of a name, and keeps the list’s order', () => {
  assert.deepEqual(parseOptions(['--only', 'delay,store'], ALL).only, ['store-slow', 'delay-store', 'delay-speech']);
});

test('refuses an unknown drill, factor or option in a sentence that names it', () => {
  const refusals: [string[], RegExp][] = [
    [['--only', 'stor,moon'], /moon/],
    [['--factor', '0'], /"0"/],
    [['--factor', '1.5'], /"1\.5"/],
    [['--factor', '61'], /61/],
    [['--moon', 'a'], /--moon/],
  ];
  for (const [args, names] of refusals)
    assert.throws(
      () => parseOptions(args, ALL),
      (error: Error) => error instanceof UsageError && names.test(error.message),
    );
});
