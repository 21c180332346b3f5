import { occurrenceOf } from '@recording-request/events/event';
import type { Context } from '../../context.ts';
import { retryPauseMs } from '../../domain/unknown-event.ts';
import type { DeadLetter } from '../../store/dead-letters.ts';
import { republish } from './replay-dead-letter.ts';

type RetryContext = Pick<Context, 'config' | 'deadLetters' | 'kafka' | 'log'>;

const BATCH = 100;
const TURN_MS = 20_000;

/**
 * Publishes events again that a consumer of an earlier version did not know, oldest first, for that consumer's group.
 * While the group still has members of the earlier version, an event can fail again; it is then retried later.
 */
export async function retryUnknownEvents(context: RetryContext): Promise<void> {
  const until = performance.now() + TURN_MS;
  for (;;) {
    const due = await context.deadLetters.dueUnknown(new Date(), BATCH);
    for (const letter of due) await retry(context, letter);
    if (due.length < BATCH || performance.now() > until) return;
  }
}

async function retry({ config, deadLetters, kafka, log }: RetryContext, letter: DeadLetter): Promise<void> {
  const { id, topic, group, eventType } = letter;
  const { key, value } = await deadLetters.contentOf(id);
  const occurredAt = value ? occurrenceOf(value) : undefined;
  const ageMs = Date.now() - (occurredAt ?? letter.at).getTime();
  const pauseMs = retryPauseMs(ageMs, config.unknownRetrySeconds * 1_000);
  // An event that is too old is not retried. The operator can handle it until it expires.
  const isOver = pauseMs === undefined;
  const isMine = await deadLetters.postpone(letter, isOver ? undefined : new Date(Date.now() + pauseMs));
  if (!isMine || isOver || !value || !occurredAt) return;
  await republish({ kafka }, letter, { key, value });
  await deadLetters.forget(id);
  log.info({ topic, group, eventType }, 'An unknown event was published again for its consumers');
}
