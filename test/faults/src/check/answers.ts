import type { Bench } from '../harness/harness.ts';

/**
 * While a server behind the services is away or slow, and every service runs, a client gets an answer to each request,
 * and it is never worse than a 503..
 */
export function badAnswers({ doors, violated }: Pick<Bench, 'doors' | 'violated'>): void {
  for (const { at, what } of doors.incidents)
    if (!what.includes('→ 503'))
      violated(`a client got no answer, or a worse one than 503 (${at.toISOString()}): ${what}`);
}

/** Nobody was to notice: every request was answered, and none with 500 or more. From the `from`-th incident on. */
export function anyIncidents({ doors, violated }: Pick<Bench, 'doors' | 'violated'>, from = 0): void {
  for (const { at, what } of doors.incidents.slice(from)) violated(`a request failed (${at.toISOString()}): ${what}`);
}
