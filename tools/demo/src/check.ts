import { redact } from '@recording-request/kit/redact';

/** A check of the demo failed. The message has the expected and the actual value. */
export class CheckFailedError extends Error {
  override name = 'CheckFailedError';
}

/** Throws "expected <expected>, got <got>" unless `condition` holds. */
export function check(expected: string, condition: unknown, got: unknown): asserts condition {
  if (!condition) throw new CheckFailedError(`expected ${redact(expected)}, got ${shown(got)}`);
}

/** Checks that two values are equal as JSON. */
export function checkEqual(what: string, got: unknown, wanted: unknown): void {
  check(`${what} to be ${shown(wanted)}`, JSON.stringify(got) === JSON.stringify(wanted), got);
}

const MAX_SHOWN = 600;

function shown(got: unknown): string {
  const text = JSON.stringify(got) ?? String(got);
  // The actual value may be an HTTP response with tokens, and the output of a failed run may be sent to others.
  const safe = redact(text);
  return safe.length > MAX_SHOWN ? `${safe.slice(0, MAX_SHOWN)} …` : safe;
}
