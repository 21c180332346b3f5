import { DomainError } from '@recording-request/kit/errors';
import type { ClientOf } from '@recording-request/kit-rpc/grpc-client';
import type { DeadLetter, SubmissionsOperatorServiceServer } from '@recording-request/proto/operator/v1/submissions';
import type { DeadLettersCommand } from './command.ts';
import type { Report } from './run.ts';
import { properties, table, timeOf } from './table.ts';

export type DeadLetters = Pick<
  ClientOf<SubmissionsOperatorServiceServer>,
  'listDeadLetters' | 'getDeadLetter' | 'replayDeadLetter' | 'dropDeadLetter'
>;

const PAGE = 1_000;
const COLUMNS = ['DEAD LETTER ID', 'FAILED', 'EVENT', 'REASON'] as const;

/** Runs one command against the submissions service. Fails with DomainErrors. */
export async function runDeadLetters(service: DeadLetters, command: DeadLettersCommand): Promise<Report> {
  switch (command.name) {
    case 'dead-letters list': {
      const { letters, more } = await newest(service, command.limit);
      const lines = table(COLUMNS, letters.map(rowOf), 'no dead letters');
      if (more) lines.push(`and older ones: --limit ${command.limit * 10} shows more`);
      return { lines, value: letters.map(letterValue) };
    }
    case 'dead-letters show': {
      const { deadLetter } = await service.getDeadLetter({ deadLetterId: command.id });
      return { lines: details(deadLetter!), value: letterValue(deadLetter!) };
    }
    case 'dead-letters replay':
      return command.id === 'all'
        ? replayAll(service)
        : ended(await service.replayDeadLetter({ deadLetterId: command.id }));
    case 'dead-letters drop':
      return ended(await service.dropDeadLetter({ deadLetterId: command.id }));
  }
}

async function newest(service: DeadLetters, limit: number): Promise<{ letters: DeadLetter[]; more: boolean }> {
  const letters: DeadLetter[] = [];
  for (let cursor = ''; ; ) {
    const pageSize = Math.min(PAGE, limit - letters.length);
    const page = await service.listDeadLetters({ pageSize, cursor, oldestFirst: false });
    letters.push(...page.deadLetters);
    cursor = page.nextCursor;
    if (cursor === '' || letters.length >= limit) return { letters, more: cursor !== '' };
  }
}

/**
 * Replays the dead letters, oldest first, so that the events of one submission keep their order. Stops at the dead
 * letter that was newest at the start; otherwise, a dead letter that fails again would be replayed forever. A dead
 * letter without content stays in the list. Fails when the service fails, and reports the progress.
 */
async function replayAll(service: DeadLetters): Promise<Report> {
  const value = { replayed: 0, left: 0 };
  const [newest] = (await service.listDeadLetters({ pageSize: 1, cursor: '', oldestFirst: false })).deadLetters;
  for (let cursor = ''; newest; ) {
    const page = await service.listDeadLetters({ pageSize: PAGE, cursor, oldestFirst: true });
    for (const letter of page.deadLetters) {
      if (letter.at!.getTime() > newest.at!.getTime()) return replayed(value);
      value[await replayOne(service, letter, value)] += 1;
    }
    cursor = page.nextCursor;
    if (cursor === '') break;
  }
  return replayed(value);
}

async function replayOne(
  service: DeadLetters,
  { deadLetterId, valueBytes }: DeadLetter,
  soFar: { replayed: number },
): Promise<'replayed' | 'left'> {
  if (valueBytes === 0) return 'left';
  try {
    await service.replayDeadLetter({ deadLetterId });
    return 'replayed';
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    // Another caller has replayed, dropped or erased this dead letter since the listing, or it has no content.
    if (error.code === 'gone' || error.code === 'not_found') return 'left';
    throw new DomainError(error.code, `${soFar.replayed} replayed, the rest not: ${error.message}`, { cause: error });
  }
}

function replayed(value: { replayed: number; left: number }): Report {
  const left = value.left > 0 ? `; ${value.left} could not be, as their content is not kept` : '';
  return { lines: [`${value.replayed} replayed${left}`], value };
}

const ended = ({ deadLetter }: { deadLetter?: DeadLetter | undefined }): Report => ({
  lines: [`${deadLetter!.deadLetterId}  ${stateOf(deadLetter!)}`],
  value: letterValue(deadLetter!),
});

function letterValue(letter: DeadLetter) {
  return {
    ...letter,
    replayedAt: letter.replayedAt ?? null,
    droppedAt: letter.droppedAt ?? null,
    retryAt: letter.retryAt ?? null,
  };
}

function stateOf({ replayedAt, droppedAt, retryAt }: DeadLetter): string {
  if (replayedAt) return `replayed ${timeOf(replayedAt)}`;
  if (droppedAt) return `dropped ${timeOf(droppedAt)}`;
  return retryAt ? `waits for a version that knows it; retried automatically, next ${timeOf(retryAt)}` : 'waits';
}

const rowOf = ({ deadLetterId, at, eventType, reason, retryAt }: DeadLetter): string[] => [
  deadLetterId,
  timeOf(at),
  eventType || 'no event',
  retryAt ? 'waits for a version that knows it, and is retried automatically' : reason,
];

function details(letter: DeadLetter): string[] {
  const { topic, partition, offset } = letter;
  return properties([
    ['id', letter.deadLetterId],
    ['failed', timeOf(letter.at)],
    ['record', `${topic}, partition ${partition}, offset ${offset}`],
    ['group', letter.group],
    ['reason', letter.reason],
    ['event', letter.eventType || 'none'],
    ['project', letter.projectId || 'unknown'],
    ['submission', letter.submissionId || 'unknown'],
    ['size', `${letter.valueBytes.toLocaleString('en')} bytes`],
    ['state', stateOf(letter)],
  ]);
}
