import { occurrenceOf } from '@recording-request/events/event';
import type { Context } from '../../context.ts';
import { retryPauseMs } from '../../domain/unknown-event.ts';
import type { DeadLetter } from '../../store/dead-letters.ts';
import { republish } from './replay-dead-letter.ts';

type RetryContext = Pick<Context, 'config' | 'deadLetters' | 'kafka' | 'log'>;

const BATCH = 100;
const TURN_MS = 20_000;

/**
 * Gives events that a consumer of an earlier version did not know to that consumer's group again, where this version knows
 * them; the oldest first. While the group has members of that version, an event can come back, and goes again later.
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
  // Beyond the time that any dead letter is kept it stays for the operator, until that ends.
  const isOver = pauseMs === undefined;
  const isMine = await deadLetters.postpone(letter, isOver ? undefined : new Date(Date.now() + pauseMs));
  if (!isMine || isOver || !value || !occurredAt) return;
  await republish({ kafka }, letter, { key, value });
  await deadLetters.forget(id);
  log.info({ topic, group, eventType }, 'An event that was not known is given to its consumers again');
}
