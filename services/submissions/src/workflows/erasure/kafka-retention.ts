import { DomainError } from '@recording-request/kit/errors';
import type { Context } from '../../context.ts';

/**
 * Returns when Kafka deletes the last record of data that is erased now; undefined when Kafka keeps records forever.
 */
export async function recordsEndAt({ config, kafka }: Pick<Context, 'config' | 'kafka'>): Promise<Date | undefined> {
  const keptMs = await kafka.longestRetention().catch(cause => {
    const sentence = 'Kafka does not say how long it keeps records: do the same again when it answers.';
    throw new DomainError('unavailable', sentence, { cause });
  });
  // The time starts at the last event that a running job may still publish.
  return Number.isFinite(keptMs) ? new Date(Date.now() + config.eraseAgainSeconds * 1_000 + keptMs) : undefined;
}
