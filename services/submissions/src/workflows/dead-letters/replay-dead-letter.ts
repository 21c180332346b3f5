import { traceOf } from '@recording-request/events/event';
import { DomainError } from '@recording-request/kit/errors';
import { inSpan } from '@recording-request/kit-telemetry/span';
import type { Context } from '../../context.ts';
import type { DeadLetter } from '../../store/dead-letters.ts';

type ReplayContext = Pick<Context, 'deadLetters' | 'kafka'>;

/** Returns the dead letter. Fails with `not_found` for an unknown id. */
export async function findDeadLetter({ deadLetters }: Pick<Context, 'deadLetters'>, id: string): Promise<DeadLetter> {
  const letter = await deadLetters.find(id);
  if (!letter) throw new DomainError('not_found', 'There is no such dead letter.');
  return letter;
}

/**
 * Publishes the record to its topic again, only for the group that could not handle it. If the record fails again, it
 * becomes another dead letter. Fails with `not_found` for an unknown id, and with `gone` when the content no longer
 * exists.
 */
export async function replayDeadLetter({ deadLetters, kafka }: ReplayContext, id: string): Promise<DeadLetter> {
  const letter = await findDeadLetter({ deadLetters }, id);
  const { replayedAt, droppedAt } = letter;
  if (replayedAt) throw new DomainError('gone', `It was replayed before, at ${replayedAt.toISOString()}.`);
  if (droppedAt) throw new DomainError('gone', `It was dropped at ${droppedAt.toISOString()}.`);
  const { key, value } = await deadLetters.contentOf(id);
  if (!value) throw new DomainError('gone', 'Its content is not kept, so it cannot be replayed; it can be dropped.');
  await republish({ kafka }, letter, { key, value });
  return (await deadLetters.end(id, 'replayedAt')) ?? letter;
}

/** Publishes the record in the trace of its event, with a link to the current request. */
export function republish(
  { kafka }: Pick<Context, 'kafka'>,
  { topic, group, eventType, projectId, submissionId }: DeadLetter,
  { key, value }: { key: Buffer | null; value: Buffer },
): Promise<void> {
  const attributes = {
    'messaging.destination.name': topic,
    'messaging.consumer.group.name': group,
    'recording.event.type': eventType || undefined,
  };
  const about = { projectId, submissionId };
  return inSpan('replay dead letter', { about, cause: traceOf(value), attributes }, () =>
    kafka.replay({ topic, group, key, value }),
  );
}
