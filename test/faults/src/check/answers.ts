import type { Harness } from '../harness/harness.ts';

/**
 * Reports each request without a response or with a status above 503. Use this if every service runs, but a server that
 * they need is down or slow.
 */
export function badAnswers({ gateway, violated }: Pick<Harness, 'gateway' | 'violated'>): void {
  for (const { at, what } of gateway.incidents)
    if (!what.includes('→ 503'))
      violated(`a client got no answer or a status above 503 (${at.toISOString()}): ${what}`);
}

/** Reports each request without a response or with a status of 500 or more. Skips the first `from` incidents. */
export function anyIncidents({ gateway, violated }: Pick<Harness, 'gateway' | 'violated'>, from = 0): void {
  for (const { at, what } of gateway.incidents.slice(from)) violated(`a request failed (${at.toISOString()}): ${what}`);
}
