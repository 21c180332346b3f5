import type { Harness } from '../harness/harness.ts';

/**
 * While every service runs and a server behind them is away or slow, each request is answered, with nothing worse than
 * 503.
 */
export function badAnswers({ gateway, violated }: Pick<Harness, 'gateway' | 'violated'>): void {
  for (const { at, what } of gateway.incidents)
    if (!what.includes('→ 503'))
      violated(`a client got no answer, or a worse one than 503 (${at.toISOString()}): ${what}`);
}

/** No client was to notice: every request is answered, and none with 500 or more. Skips the first `from` incidents. */
export function anyIncidents({ gateway, violated }: Pick<Harness, 'gateway' | 'violated'>, from = 0): void {
  for (const { at, what } of gateway.incidents.slice(from)) violated(`a request failed (${at.toISOString()}): ${what}`);
}
