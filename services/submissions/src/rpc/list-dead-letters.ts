import { DomainError } from '@recording-request/kit/errors';
import type { ListDeadLettersRequest, ListDeadLettersResponse } from '@recording-request/proto/operator/v1/submissions';
import type { Context } from '../context.ts';
import type { DeadLetter } from '../store/dead-letters.ts';
import { toDeadLetterMessage } from './dead-letter-message.ts';

const PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 1_000;

export const listDeadLetters =
  ({ deadLetters }: Pick<Context, 'deadLetters'>) =>
  async ({ pageSize, cursor }: ListDeadLettersRequest): Promise<ListDeadLettersResponse> => {
    if (pageSize > MAX_PAGE_SIZE) throw new DomainError('invalid', `page_size must be at most ${MAX_PAGE_SIZE}.`);
    const size = pageSize || PAGE_SIZE;
    // One more than asked: it shows whether there is another page.
    const rows = await deadLetters.list(size + 1, cursor === '' ? undefined : openCursor(cursor));
    const page = rows.slice(0, size);
    return {
      deadLetters: page.map(toDeadLetterMessage),
      nextCursor: rows.length > size ? makeCursor(page.at(-1)!) : '',
    };
  };

type Place = Pick<DeadLetter, 'at' | 'id'>;

const makeCursor = ({ at, id }: Place): string => Buffer.from(`${at.getTime()}:${id}`).toString('base64url');

function openCursor(cursor: string): Place {
  const [, time, id] = /^(\d{1,15}):(.+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (!id) throw new DomainError('invalid', 'cursor must be a next_cursor that an earlier page gave, unchanged.');
  return { at: new Date(Number(time)), id };
}
