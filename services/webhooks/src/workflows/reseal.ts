import { keyIdOf } from '@recording-request/kit/secret-box';
import type { Context } from '../context.ts';
import { sealedFor } from '../domain/sealing.ts';
import type { SealedIn, SealedText } from '../store/sealed.ts';

/** The result of one batch. */
export interface Resealed {
  lookedAt: number;
  resealed: number;
  /** The number of bodies that this call skipped, because another request changed or removed them after the read. */
  changedMeanwhile: number;
  unopened: { record: string; keyId: string; knownKey: boolean }[];
  /** The start of the next batch; undefined after the last record of the collection. */
  last: string | undefined;
}

const BATCH = 500;

/**
 * Reseals the records after `after` with the first key of the ring. Attempts can run at the same time, because their
 * claims do not change the body. An erasure can run at the same time: this does not restore a body that it removed.
 */
export async function resealBatch(
  { store, secrets }: Pick<Context, 'store' | 'secrets'>,
  collection: SealedIn,
  { after, dryRun }: { after: string; dryRun: boolean },
): Promise<Resealed> {
  const { lookedAt, others, last } = await store.sealed.page(collection, after, BATCH, secrets.keyIds[0]!);
  const changes: { text: SealedText; sealed: string }[] = [];
  const unopened: Resealed['unopened'] = [];
  for (const text of others) {
    const context = contextOf(text);
    try {
      changes.push({ text, sealed: secrets.seal(secrets.open(text.sealed, context), context) });
    } catch {
      const keyId = keyIdOf(text.sealed);
      unopened.push({ record: nameOf(text), keyId, knownKey: secrets.keyIds.includes(keyId) });
    }
  }
  const resealed = dryRun ? changes.length : await store.sealed.replace(changes);
  return { lookedAt, resealed, changedMeanwhile: changes.length - resealed, unopened, last };
}

/** Returns the record to which a sealed text is bound. */
export const contextOf = ({ collection, boundTo }: SealedText): string =>
  collection === 'feed' ? sealedFor.event(boundTo) : sealedFor.delivery(boundTo);

/** Returns the name of a sealed text's record, for the operator. */
export const nameOf = ({ collection, boundTo }: SealedText): string =>
  collection === 'feed' ? `the data of event ${boundTo} in a feed` : `the body of delivery ${boundTo}`;
