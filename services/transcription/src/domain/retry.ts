/** The failure of an attempt to transcribe at the provider. */
export type Failure =
  | { kind: 'status'; status: number; retryAfterMs: number | undefined }
  | { kind: 'unreachable' }
  | { kind: 'timeout' }
  | { kind: 'unusable' };

/**
 * The next step. A retry, after a wait. Or an outage: the provider is down or misconfigured, so the job returns to the
 * queue (`outage` is a sentence for the operator). Or a failure, with a sentence for the owner.
 */
export type Step =
  | { waitMs: number }
  | { outage: string; afterMs: number; isMisconfigured: boolean }
  | { reason: string; clipAtFault: boolean };

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/**
 * Decides the step after a failed attempt. `attempts` counts the attempts so far; `leftMs` is the rest of the job's
 * time. If the provider is busy, broken, silent or unreachable, retries after a growing wait, but not before the time
 * in `Retry-After`. After the last retry, or at once if the provider rejects our settings, ends the job as an outage;
 * the job runs again later. If the provider refuses the audio, fails the job without a retry.
 */
export function afterFailure(
  failure: Failure,
  { attempts, maxAttempts, leftMs }: { attempts: number; maxAttempts: number; leftMs: number },
): Step {
  const isStatus = failure.kind === 'status';
  if (isStatus && MISCONFIGURED[failure.status])
    return { outage: MISCONFIGURED[failure.status]!, afterMs: 0, isMisconfigured: true };
  if (isStatus && !isPassing(failure.status))
    return { reason: 'The speech-to-text service refused this audio.', clipAtFault: ABOUT_AUDIO.has(failure.status) };
  const backoffMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1));
  const askedMs = (isStatus && failure.retryAfterMs) || 0;
  const waitMs = Math.max(backoffMs, askedMs);
  if (attempts < maxAttempts && waitMs < leftMs) return { waitMs };
  if (failure.kind === 'unusable') return { reason: UNUSABLE, clipAtFault: false };
  const isBusy = isStatus && failure.status === 429;
  const outage = isBusy ? 'The speech-to-text service is too busy.' : 'The speech-to-text service does not answer.';
  return { outage, afterMs: askedMs, isMisconfigured: false };
}

// Other refusals, such as 402 or 405, do not depend on the audio.
const ABOUT_AUDIO = new Set([400, 413, 415, 422]);

const isPassing = (status: number) => status === 408 || status === 409 || status === 429 || status >= 500;

// These sentences quote neither the provider nor our credentials.
const UNUSABLE = 'The speech-to-text service gave no usable answer; ask for the transcript again.';
const NO_CREDENTIALS = 'The speech-to-text service does not accept SPEECH_API_KEY; set it right.';
const MISCONFIGURED: Record<number, string> = {
  401: NO_CREDENTIALS,
  403: NO_CREDENTIALS,
  404: 'The speech-to-text service knows no such address or model; set SPEECH_BASE_URL and SPEECH_MODEL right.',
};

/** Returns the milliseconds until the time in a Retry-After header (seconds or an HTTP date); undefined for any other value. */
export function retryAfterMs(header: string | null | undefined, nowMs: number): number | undefined {
  if (!header) return undefined;
  if (/^\d+(\.\d+)?$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
