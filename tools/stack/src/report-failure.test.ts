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

test('an unknown option leads to the help; any other failure is told as it is, whatever its code', t => {
  const unknown = Object.assign(new Error("Unknown option '--bogus'"), { code: 'ERR_PARSE_ARGS_UNKNOWN_OPTION' });
  assert.throws(() => parseStartOptions(['--bogus']), { code: unknown.code });
  const [sentence, status] = reported(t, unknown);
  assert.match(String(sentence), /--bogus.*See --help\.$/s);
  assert.equal(status, 2);
  assert.deepEqual(reported(t, Object.assign(new Error('It is away.'), { code: 14 })), ['It is away.', 1]);
});
