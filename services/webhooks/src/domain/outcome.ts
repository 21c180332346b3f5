import { retryAfterMs } from './schedule.ts';

/** The result of one request: an answer, or the reason why no answer came. */
export type Sent = { status: number; retryAfter?: string } | { status: 0; reason: string };

/**
 * The outcome of an attempt. `error` is a short phrase for the owner; it quotes neither the request's nor the answer's
 * body.
 */
export type Outcome =
  | { delivered: true; status: number }
  | { delivered: false; status: number; error: string; gone: boolean; retryAfterMs?: number };

/**
 * Classifies an answer. 2xx is a success; 410 means that the endpoint no longer exists; any other status, including a
 * redirect, is a failure.
 */
export function outcomeOf(sent: Sent, now: Date): Outcome {
  if ('reason' in sent) return { delivered: false, status: 0, error: sent.reason, gone: false };
  const { status } = sent;
  if (status >= 200 && status < 300) return { delivered: true, status };
  const wait = retryAfterMs(sent.retryAfter, now);
  const error = status >= 300 && status < 400 ? 'redirects are not followed' : `the endpoint answered ${status}`;
  return {
    delivered: false,
    status,
    error,
    gone: status === 410,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
}
