import type { Logger } from '@recording-request/kit/log';
import { requireKey } from '@recording-request/kit/require-key';
import type { Context } from '../context.ts';
import type { SealedIn } from '../store/sealed.ts';
import { contextOf, nameOf } from './reseal.ts';

// Clients may need the secrets in these collections at any time. The list omits stored results, because they expire.
const LASTING: readonly SealedIn[] = ['projects', 'links'];

/**
 * Fails with a StartError if the oldest or the newest record cannot be opened. Needs two look-ups per collection,
 * however many records it has; `reseal --dry-run` checks all records.
 */
export async function requireKeys(
  { store, secrets, config }: Pick<Context, 'store' | 'secrets' | 'config'>,
  log: Logger,
): Promise<void> {
  const keys = { secrets, lost: config.secretsKeysLost, log };
  for (const collection of LASTING)
    for (const text of await store.sealed.ends(collection))
      requireKey({ name: nameOf(text), sealed: text.sealed, context: contextOf(text) }, keys);
}
