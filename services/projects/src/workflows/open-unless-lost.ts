import { keyIdOf } from '@recording-request/kit/secret-box';
import type { Context } from '../context.ts';

/**
 * Returns the sealed value; undefined if SECRETS_KEYS_LOST names its key. Fails if any other key is missing, because
 * the operator may still restore that key.
 */
export function openUnlessLost(
  { config, secrets }: Pick<Context, 'config' | 'secrets'>,
  sealed: string,
  owner: string,
): Buffer | undefined {
  try {
    return secrets.open(sealed, owner);
  } catch (error) {
    if (config.secretsKeysLost.includes(keyIdOf(sealed))) return undefined;
    throw error;
  }
}
