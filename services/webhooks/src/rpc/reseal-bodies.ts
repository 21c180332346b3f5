import { DomainError } from '@recording-request/kit/errors';
import type { ResealBodiesRequest, ResealBodiesResponse } from '@recording-request/proto/operator/v1/webhooks';
import type { Context } from '../context.ts';
import { SEALED_IN, type SealedIn } from '../store/sealed.ts';
import { resealBatch } from '../workflows/reseal.ts';

export const resealBodies =
  (context: Pick<Context, 'store' | 'secrets'>) =>
  async ({ cursor, dryRun }: ResealBodiesRequest): Promise<ResealBodiesResponse> => {
    const { collection, after } = parseCursor(cursor);
    const { last, ...counts } = await resealBatch(context, collection, { after, dryRun });
    const [keyId = '', ...otherKeyIds] = context.secrets.keyIds;
    return { nextCursor: nextCursor(collection, last), ...counts, keyId, otherKeyIds };
  };

function parseCursor(cursor: string): { collection: SealedIn; after: string } {
  if (cursor === '') return { collection: SEALED_IN[0], after: '' };
  const [name = '', after = ''] = cursor.split(':');
  const collection = SEALED_IN.find(each => each === name);
  if (!collection)
    throw new DomainError('invalid', 'cursor must be a next_cursor that an earlier call returned, unchanged.');
  return { collection, after };
}

function nextCursor(collection: SealedIn, last: string | undefined): string {
  if (last !== undefined) return `${collection}:${last}`;
  const next = SEALED_IN[SEALED_IN.indexOf(collection) + 1];
  return next ? `${next}:` : '';
}
