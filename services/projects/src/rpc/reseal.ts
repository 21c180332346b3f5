import { DomainError } from '@recording-request/kit/errors';
import type { ResealRequest, ResealResponse } from '@recording-request/proto/operator/v1/projects';
import type { Context } from '../context.ts';
import { SEALED_IN, type SealedIn } from '../store/sealed.ts';
import { resealBatch } from '../workflows/reseal.ts';

export const reseal =
  (context: Context) =>
  async ({ cursor, dryRun }: ResealRequest): Promise<ResealResponse> => {
    const { collection, after } = parseCursor(cursor);
    const { last, ...counts } = await resealBatch(context, collection, { after, dryRun });
    const [keyId = '', ...otherKeyIds] = context.secrets.keyIds;
    return { nextCursor: nextCursor(collection, last), ...counts, keyId, otherKeyIds };
  };

function parseCursor(cursor: string): { collection: SealedIn; after: string } {
  if (cursor === '') return { collection: SEALED_IN[0], after: '' };
  const [collection = '', ...after] = cursor.split(':');
  if (!isSealedIn(collection))
    throw new DomainError('invalid', 'cursor must be a next_cursor that an earlier call gave, unchanged.');
  return { collection, after: after.join(':') };
}

const isSealedIn = (name: string): name is SealedIn => (SEALED_IN as readonly string[]).includes(name);

function nextCursor(collection: SealedIn, last: string | undefined): string {
  if (last !== undefined) return `${collection}:${last}`;
  const next = SEALED_IN[SEALED_IN.indexOf(collection) + 1];
  return next ? `${next}:` : '';
}
