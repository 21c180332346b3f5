import { StartError } from '@recording-request/kit/config';
import type { Logger } from '@recording-request/kit/log';
import { keyIdOf } from '@recording-request/kit/secret-box';
import type { Context } from '../context.ts';
import type { SealedIn } from '../store/sealed.ts';
import { nameOf } from './reseal.ts';

// What clients may ask for at any time. Remembered answers end by themselves.
const LASTING: readonly SealedIn[] = ['projects', 'links'];

/**
 * Fails with a StartError where the oldest or the newest record is sealed with a key that the ring does not hold: a key was taken
 * out too early, or the ring was replaced. Two look-ups a collection, however many records there are; `reseal --dry-run` looks at all.
 */
export async function requireKeys(
  { store, secrets, config }: Pick<Context, 'store' | 'secrets' | 'config'>,
  log: Logger,
): Promise<void> {
  for (const collection of LASTING)
    for (const text of await store.sealed.ends(collection)) {
      const keyId = keyIdOf(text.sealed);
      if (keyId === '' || secrets.keyIds.includes(keyId)) continue;
      const sealed = `${nameOf(text)} is sealed with the key "${keyId}", which SECRETS_KEY does not hold`;
      if (!config.secretsKeysLost.includes(keyId))
        throw new StartError(
          `${sealed}: put it back behind the first one, or, if it is lost for good, name it in SECRETS_KEYS_LOST.`,
        );
      log.warn(`${sealed}: what it sealed cannot be shown or used any more`);
    }
}
