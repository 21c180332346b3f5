import type { Logger } from '@recording-request/kit/log';
import { requireKey } from '@recording-request/kit/require-key';
import type { Context } from '../context.ts';
import { SEALED_IN } from '../store/sealed.ts';
import { contextOf, nameOf } from './reseal.ts';

/**
 * Fails with a StartError if the oldest or the newest body cannot be opened. Needs two look-ups per collection, however
 * many bodies it has; `reseal --dry-run` checks all of them.
 */
export async function requireKeys(
  { store, secrets, config }: Pick<Context, 'store' | 'secrets' | 'config'>,
  log: Logger,
): Promise<void> {
  const keys = { secrets, lost: config.secretsKeysLost, log };
  for (const collection of SEALED_IN)
    for (const text of await store.sealed.ends(collection))
      requireKey({ name: nameOf(text), sealed: text.sealed, context: contextOf(text) }, keys);
}
