import { DomainError } from '@recording-request/kit/errors';
import type { Context } from '../../context.ts';

/** When the last record of what is erased now has ended in Kafka; undefined where it keeps records for ever. */
export async function recordsEndAt({ config, kafka }: Pick<Context, 'config' | 'kafka'>): Promise<Date | undefined> {
  const keptMs = await kafka.longestRetention().catch(cause => {
    const sentence = 'Kafka does not say how long it keeps records: do the same again when it answers.';
    throw new DomainError('unavailable', sentence, { cause });
  });
  // From the last event of a job that goes on now.
  return Number.isFinite(keptMs) ? new Date(Date.now() + config.eraseAgainSeconds * 1_000 + keptMs) : undefined;
}
