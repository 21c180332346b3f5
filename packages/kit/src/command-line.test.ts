import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandLine, UsageError } from './command-line.ts';

const OPTIONS = { port: { type: 'string', short: 'p' }, fresh: { type: 'boolean' } } as const;

const WRONG: [args: string[], sentence: string][] = [
  [['--bogus'], 'There is no option --bogus. See --help.'],
  [['-x'], 'There is no option -x. See --help.'],
  [['--port'], '--port takes a value. See --help.'],
  [['-p'], '--port takes a value. See --help.'],
  [['--port', '--fresh'], '--port takes a value; one with a dash as --port=-…. See --help.'],
  [['--fresh=yes'], '--fresh takes no value. See --help.'],
  [['all of it'], "'all of it' is not understood here. See --help."],
  [["it's\nall"], "'it's\nall' is not understood here. See --help."],
];
for (const [args, sentence] of WRONG)
  test(`the arguments ${JSON.stringify(args)} cause the error: ${sentence}`, () => {
    assert.throws(
      () => parseCommandLine({ args, options: OPTIONS }),
      (error: Error) => error instanceof UsageError && error.message === sentence,
    );
  });

test('valid arguments are read unchanged, and a fault of the program is not a usage error', () => {
  const { values } = parseCommandLine({ args: ['-p', '80', '--fresh'], options: OPTIONS });
  assert.deepEqual({ ...values }, { port: '80', fresh: true });
  const negative = parseCommandLine({ args: ['--fresh', '--port', '-5'], options: OPTIONS });
  assert.deepEqual({ ...negative.values }, { port: '-5', fresh: true });
  assert.throws(
    () => parseCommandLine({ args: [], options: { port: { type: 'no such type' as 'string' } } }),
    (error: Error) => !(error instanceof UsageError),
  );
});
