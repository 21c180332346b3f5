import { keyIdOf } from '@recording-request/kit/secret-box';
import type { Context } from '../context.ts';

/**
 * Returns what was sealed; undefined where its key is lost for good. Fails where a key is missing that SECRETS_KEYS_LOST
 * does not name: it may be put back yet.
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
