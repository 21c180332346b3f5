import { StartError } from '@recording-request/kit/config';
import type { Logger } from '@recording-request/kit/log';
import { keyIdOf, type SecretBox } from '@recording-request/kit/secret-box';
import type { Context } from '../context.ts';
import type { SealedIn, SealedText } from '../store/sealed.ts';
import { contextOf, nameOf } from './reseal.ts';

// Clients may read the secrets in these collections at any time. Stored answers are not listed, because they expire.
const LASTING: readonly SealedIn[] = ['projects', 'links'];

/**
 * Fails with a StartError if the oldest or the newest record cannot be opened. Then its key was removed from the ring
 * too early, or the ring was replaced, perhaps with another key of the same name. Needs two look-ups per collection,
 * however many records it has; `reseal --dry-run` checks all records.
 */
export async function requireKeys(
  { store, secrets, config }: Pick<Context, 'store' | 'secrets' | 'config'>,
  log: Logger,
): Promise<void> {
  for (const collection of LASTING)
    for (const text of await store.sealed.ends(collection)) {
      const keyId = keyIdOf(text.sealed);
      if (keyId === '' || opens(secrets, text)) continue;
      const isOther = secrets.keyIds.includes(keyId);
      const sealed = `${nameOf(text)} is sealed with ${isOther ? 'another' : 'the'} key "${keyId}"${isOther ? ' than the one that SECRETS_KEY holds' : ', which SECRETS_KEY does not hold'}`;
      if (!config.secretsKeysLost.includes(keyId))
        throw new StartError(
          isOther
            ? `${sealed}: put that one back, and give a new key a name of its own; or, if it is lost for good, name "${keyId}" in SECRETS_KEYS_LOST.`
            : `${sealed}: put it back behind the first one, or, if it is lost for good, name it in SECRETS_KEYS_LOST.`,
        );
      log.warn(`${sealed}: texts sealed with this key cannot be shown or used any more`);
    }
}

function opens(secrets: SecretBox, text: SealedText): boolean {
  try {
    secrets.open(text.sealed, contextOf(text));
    return true;
  } catch {
    return false;
  }
}
