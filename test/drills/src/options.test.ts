import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '@recording-request/kit/command-line';
import { parseOptions } from './options.ts';

const NAMES = ['store-slow', 'speech-away', 'delay-store', 'delay-speech'];
const ALL = NAMES.map(name => ({ name }));

test('by default runs every drill, and divides windows by 60', () => {
  assert.deepEqual(parseOptions([], ALL), { only: NAMES, factor: 60, list: false, help: false });
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
    [['--seed', 'a'], /--seed/],
  ];
  for (const [args, names] of refusals)
    assert.throws(
      () => parseOptions(args, ALL),
      (error: Error) => error instanceof UsageError && names.test(error.message),
    );
});
