import { DomainError } from '@recording-request/kit/errors';
import type { Context } from '../../context.ts';

/**
 * Returns the time when Kafka will have deleted all records of data that is erased now; undefined if Kafka keeps
 * records forever.
 */
export async function recordsEndAt({ config, kafka }: Pick<Context, 'config' | 'kafka'>): Promise<Date | undefined> {
  const keptMs = await kafka.longestRetention().catch(cause => {
    const sentence = 'Kafka does not say how long it keeps records: do the same again when it answers.';
    throw new DomainError('unavailable', sentence, { cause });
  });
  // A running job may still publish an event for `eraseAgainSeconds`, so the retention counts from the end of that
  // time.
  return Number.isFinite(keptMs) ? new Date(Date.now() + config.eraseAgainSeconds * 1_000 + keptMs) : undefined;
}
