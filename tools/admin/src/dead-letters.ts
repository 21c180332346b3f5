import type { ClientOf } from '@recording-request/kit/grpc-client';
import type { DeadLetter, SubmissionsOperatorServiceServer } from '@recording-request/proto/operator/v1/submissions';
import type { DeadLettersCommand } from './command.ts';
import type { Report } from './run.ts';

export type DeadLetters = Pick<
  ClientOf<SubmissionsOperatorServiceServer>,
  'listDeadLetters' | 'getDeadLetter' | 'replayDeadLetter' | 'dropDeadLetter'
>;

const PAGE = 1_000;

/** Runs one command against the submissions service. Failures are DomainErrors. */
export async function runDeadLetters(service: DeadLetters, command: DeadLettersCommand): Promise<Report> {
  switch (command.name) {
    case 'dead-letters list': {
      const { letters, more } = await newest(service, command.limit);
      const lines = letters.length === 0 ? ['no dead letters'] : letters.map(line);
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
    const page = await service.listDeadLetters({ pageSize, cursor });
    letters.push(...page.deadLetters);
    cursor = page.nextCursor;
    if (cursor === '' || letters.length >= limit) return { letters, more: cursor !== '' };
  }
}

/** Those whose content is not kept stay in the list. */
async function replayAll(service: DeadLetters): Promise<Report> {
  const value = { replayed: 0, left: 0 };
  for (let cursor = ''; ; ) {
    const page = await service.listDeadLetters({ pageSize: PAGE, cursor });
    for (const { deadLetterId, valueBytes } of page.deadLetters) {
      if (valueBytes === 0) value.left += 1;
      else {
        await service.replayDeadLetter({ deadLetterId });
        value.replayed += 1;
      }
    }
    cursor = page.nextCursor;
    if (cursor !== '') continue;
    const left = value.left > 0 ? `; ${value.left} cannot be replayed, as their content is not kept` : '';
    return { lines: [`${value.replayed} replayed${left}`], value };
  }
}

const ended = ({ deadLetter }: { deadLetter?: DeadLetter | undefined }): Report => ({
  lines: [line(deadLetter!)],
  value: letterValue(deadLetter!),
});

function letterValue(letter: DeadLetter) {
  return { ...letter, replayedAt: letter.replayedAt ?? null, droppedAt: letter.droppedAt ?? null };
}

function stateOf({ replayedAt, droppedAt }: DeadLetter): string {
  if (replayedAt) return `replayed ${replayedAt.toISOString()}`;
  return droppedAt ? `dropped ${droppedAt.toISOString()}` : 'waits';
}

// A reason can hold what a record says: it says nothing to the operator's terminal.
const plain = (text: string): string => text.replace(/\p{Cc}/gu, ' ');

function line(letter: DeadLetter): string {
  const { deadLetterId, at, eventType, reason } = letter;
  const state = letter.replayedAt || letter.droppedAt ? `${stateOf(letter)}  ` : '';
  return `${deadLetterId}  ${at?.toISOString()}  ${eventType || 'no event'}  ${state}${plain(reason)}`;
}

function details(letter: DeadLetter): string[] {
  const { deadLetterId, at, topic, partition, offset, group, eventType, projectId, submissionId } = letter;
  const rows = {
    id: deadLetterId,
    failed: at?.toISOString(),
    record: `${topic}, partition ${partition}, offset ${offset}`,
    group,
    reason: plain(letter.reason),
    event: eventType || 'none',
    project: projectId || 'unknown',
    submission: submissionId || 'unknown',
    size: `${letter.valueBytes.toLocaleString('en')} bytes`,
    state: stateOf(letter),
  };
  return Object.entries(rows).map(([name, text]) => `${name.padEnd(12)}${text}`);
}
