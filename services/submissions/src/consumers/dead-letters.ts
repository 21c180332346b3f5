import { DEAD_LETTER_TOPIC } from '@recording-request/events/topics';
import type { ConsumerOptions } from '@recording-request/kit-kafka/consumer';
import { readDeadLetter } from '@recording-request/kit-kafka/dead-letter';
import type { TakenRecord } from '@recording-request/kit-kafka/record';
import type { Context } from '../context.ts';
import { recordDeadLetter } from '../workflows/dead-letters/record-dead-letter.ts';

const LIMIT_MS = 30_000;

/** Consumes the dead letters: the records that a consumer of any service could not handle. */
export const deadLetters = (context: Context): ConsumerOptions<TakenRecord> => ({
  topic: DEAD_LETTER_TOPIC,
  group: 'submissions-dead-letters',
  concurrency: 1,
  jobLimitMs: LIMIT_MS,
  async handle(record, { log }) {
    const letter = readDeadLetter(record);
    if (letter) await recordDeadLetter(context, letter, record.at);
    else
      log.warn({ partition: record.partition, offset: record.offset }, 'A record is not a dead letter; it is skipped');
  },
});
