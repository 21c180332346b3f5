import { StartError } from './config.ts';
import type { Logger } from './log.ts';
import { keyIdOf, type SecretBox } from './secret-box.ts';

/** A stored sealed text. `name` names its record for the operator. */
export interface NamedText {
  name: string;
  sealed: string;
  /** The record to which the text is bound. */
  context: string;
}

/**
 * Fails with a StartError if no key opens the text: an operator removed its key too early, or replaced the ring,
 * perhaps with a different key of the same id. Only logs a warning if `lost` contains the id of the key.
 */
export function requireKey(
  { name, sealed, context }: NamedText,
  { secrets, lost, log }: { secrets: SecretBox; lost: readonly string[]; log: Logger },
): void {
  const keyId = keyIdOf(sealed);
  if (keyId === '' || opens(secrets, sealed, context)) return;
  const isOther = secrets.keyIds.includes(keyId);
  const text = `${name} is sealed with ${isOther ? 'another' : 'the'} key "${keyId}"${isOther ? ' than the one that SECRETS_KEY holds' : ', which SECRETS_KEY does not hold'}`;
  if (!lost.includes(keyId))
    throw new StartError(
      isOther
        ? `${text}: put that one back, and give a new key a name of its own; or, if it is lost for good, name "${keyId}" in SECRETS_KEYS_LOST.`
        : `${text}: put it back behind the first one, or, if it is lost for good, name it in SECRETS_KEYS_LOST.`,
    );
  log.warn(`${text}: texts sealed with this key cannot be shown or used any more`);
}

function opens(secrets: SecretBox, sealed: string, context: string): boolean {
  try {
    secrets.open(sealed, context);
    return true;
  } catch {
    return false;
  }
}
