import { type FeedEvent, sign } from '@recording-request/client';
import { EXIT, Failure } from '../failures.ts';
import { pause } from '../wait.ts';

export interface DeliveryOptions {
  url: string;
  secret: string;
  prefix: string | undefined;
  /** True if any answer counts as accepted. */
  once: boolean;
  /** The number of attempts before a failure. */
  tries: number;
}

export type Deliver = (
  event: FeedEvent,
  signal: AbortSignal,
  onRefusal: (outcome: string, waitMs: number) => void,
) => Promise<number>;

const LIMIT_MS = 30_000;
const LONGEST_WAIT_MS = 10_000;

/** Returns the bytes that the service would send for this event. */
export const bodyOf = ({ eventId, type, createdAt, data }: FeedEvent): string =>
  JSON.stringify({ id: eventId, type, createdAt, data });

/** Returns a function that sends an event until the server accepts it, and returns the status of the answer. */
export function deliverTo({ url, secret, prefix, once, tries }: DeliveryOptions): Deliver {
  return async (event, signal, onRefusal) => {
    const body = bodyOf(event);
    for (let attempt = 1; ; attempt++) {
      const headers = await sign({ id: event.eventId, type: event.type, body, secret, ...(prefix && { prefix }) });
      const outcome = await post(url, body, headers, signal);
      const isAnswer = typeof outcome === 'number';
      if (isAnswer && (once || (outcome >= 200 && outcome < 300))) return outcome;
      const said = isAnswer ? `answered ${outcome}${hintOf(outcome)}` : outcome;
      if (attempt >= tries)
        throw new Failure(EXIT.failure, `${url} ${said} ${attempt} times to ${event.type} ${event.eventId}.`);
      const waitMs = Math.min(LONGEST_WAIT_MS, 500 * 2 ** Math.min(attempt, 10));
      onRefusal(said, waitMs);
      await pause(waitMs, signal);
    }
  };
}

// Receivers refuse a wrong signature with one of these statuses.
const hintOf = (status: number): string =>
  [400, 401, 403].includes(status) ? ' (does it have the secret of rr listen --print-secret?)' : '';

/** Returns the status of the answer, or the reason why no answer came. */
async function post(
  url: string,
  body: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<number | string> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    const answer = await fetch(url, { method: 'POST', body, headers, signal: limit, redirect: 'manual' });
    await answer.body?.cancel();
    return answer.status;
  } catch (error) {
    signal.throwIfAborted();
    const { name, message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    if (name === 'TimeoutError') return `did not answer within ${LIMIT_MS / 1000} s`;
    return `is not reachable (${cause?.code || cause?.message || message})`;
  }
}
