import { DomainError } from '@recording-request/kit/errors';

/** The position at which the next page of a list by time begins. */
interface Place {
  at: Date;
  id: string;
}

export const makeTimeCursor = ({ at, id }: Place): string => Buffer.from(`${at.getTime()}:${id}`).toString('base64url');

/** Fails with `invalid` for a cursor that `makeTimeCursor` did not make. */
export function openTimeCursor(cursor: string): Place {
  const [, time, id] = /^(\d{1,15}):(.+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (!id) throw new DomainError('invalid', 'cursor must be a next_cursor that an earlier page gave, unchanged.');
  return { at: new Date(Number(time)), id };
}
