import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { reportFailure } from './report-failure.ts';
import { parseStartOptions } from './start-options.ts';

/** Returns what a person is told, and the exit status. */
function reported(t: TestContext, error: unknown) {
  const told = t.mock.method(console, 'error', () => {});
  const before = process.exitCode;
  reportFailure(error);
  const { exitCode } = process;
  process.exitCode = before;
  told.mock.restore();
  return [told.mock.calls[0]!.arguments[0], exitCode];
}

test('a command line that cannot be carried out is status 2; any other failure is told as it is, whatever its code', t => {
  assert.throws(
    () => parseStartOptions(['--bogus']),
    error => {
      assert.deepEqual(reported(t, error), ['There is no option --bogus. See --help.', 2]);
      return true;
    },
  );
  assert.deepEqual(reported(t, Object.assign(new Error('It is away.'), { code: 14 })), ['It is away.', 1]);
});
