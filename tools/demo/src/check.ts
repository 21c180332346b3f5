import { redact } from '@recording-request/kit/redact';

/** Something that the demo proves did not hold. Its message says what was expected and what came. */
export class CheckFailedError extends Error {
  override name = 'CheckFailedError';
}

/** Throws when `condition` does not hold: "expected <expected>, got <got>". */
export function check(expected: string, condition: unknown, got: unknown): asserts condition {
  if (!condition) throw new CheckFailedError(`expected ${redact(expected)}, got ${shown(got)}`);
}

/** As `check`, for two values that must be the same when written as JSON. */
export function checkEqual(what: string, got: unknown, wanted: unknown): void {
  check(`${what} to be ${shown(wanted)}`, JSON.stringify(got) === JSON.stringify(wanted), got);
}

const MAX_SHOWN = 600;

function shown(got: unknown): string {
  const text = JSON.stringify(got) ?? String(got);
  // What came may be an answer that shows tokens, and a failed run's output may be sent around.
  const safe = redact(text);
  return safe.length > MAX_SHOWN ? `${safe.slice(0, MAX_SHOWN)} …` : safe;
}
