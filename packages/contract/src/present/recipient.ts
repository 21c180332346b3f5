import type { Invitation } from '@recording-request/proto/projects/v1/projects';
import type { RecipientJson } from '../resources/recipient.ts';

/** Returns the person of an invitation; null when nothing is known about a person. */
export function presentRecipient(invitation: Invitation | undefined): RecipientJson | null {
  const { person } = invitation ?? {};
  if (!person) return null;
  const { name, reference, email, locale, verified } = person;
  return {
    name: name || null,
    reference: reference || null,
    email: email || null,
    locale: locale || null,
    verified,
  };
}
