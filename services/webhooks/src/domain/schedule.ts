const JITTER = 0.1;
const RETRY_AFTER_STEPS = 2;

/**
 * Returns the milliseconds until the next attempt. `step` counts the failures before this one; after the last entry of
 * the schedule, that entry repeats. `Retry-After` never shortens the wait and at most doubles it.
 */
export function retryDelayMs(
  step: number,
  options: { scheduleSec: readonly number[]; retryAfterMs?: number; random?: () => number },
): number {
  const { scheduleSec, retryAfterMs = 0, random = Math.random } = options;
  const stepMs = scheduleSec[Math.min(step, scheduleSec.length - 1)]! * 1000;
  const jittered = stepMs * (1 - JITTER + 2 * JITTER * random());
  return Math.round(Math.max(jittered, Math.min(retryAfterMs, RETRY_AFTER_STEPS * stepMs)));
}

/**
 * Returns the wait that a `Retry-After` header requests (RFC 9110: seconds or an HTTP date); undefined for any other
 * value.
 */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const at = /^[A-Z][a-z]{2},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
