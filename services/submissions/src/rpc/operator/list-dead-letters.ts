import { DomainError } from '@recording-request/kit/errors';
import type { ListDeadLettersRequest, ListDeadLettersResponse } from '@recording-request/proto/operator/v1/submissions';
import type { Context } from '../../context.ts';
import { toDeadLetterMessage } from './dead-letter-message.ts';
import { makeTimeCursor, openTimeCursor } from './time-cursor.ts';

const PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 1_000;

export const listDeadLetters =
  ({ deadLetters }: Pick<Context, 'deadLetters'>) =>
  async ({ pageSize, cursor, oldestFirst }: ListDeadLettersRequest): Promise<ListDeadLettersResponse> => {
    if (pageSize > MAX_PAGE_SIZE) throw new DomainError('invalid', `page_size must be at most ${MAX_PAGE_SIZE}.`);
    const size = pageSize || PAGE_SIZE;
    // The additional row shows whether another page follows.
    const order = oldestFirst ? 'oldest first' : 'newest first';
    const rows = await deadLetters.list(size + 1, order, cursor === '' ? undefined : openTimeCursor(cursor));
    const page = rows.slice(0, size);
    return {
      deadLetters: page.map(toDeadLetterMessage),
      nextCursor: rows.length > size ? makeTimeCursor(page.at(-1)!) : '',
    };
  };
