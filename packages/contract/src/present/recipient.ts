import type { Invitation } from '@recording-request/proto/projects/v1/projects';
import { recipientUrl, stopRemindersUrl } from '../addresses.ts';
import { isoDateOrNull } from '../dates.ts';
import type { EventLinkJson, RecipientJson } from '../resources/recipient.ts';

/** Returns the person of an invitation; null without a known person. */
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

/** Returns the link of an event. `token` is "" when the key that sealed it is lost. */
export function presentEventLink(
  { tokenId, token, invitation }: { tokenId: string; token: string; invitation: Invitation | undefined },
  baseUrl: string,
): EventLinkJson {
  return {
    tokenId,
    recipient: presentRecipient(invitation),
    metadata: invitation?.metadata ?? {},
    recipientUrl: token === '' ? null : recipientUrl(baseUrl, token),
    dueAt: isoDateOrNull(invitation?.dueAt),
  };
}

/** Returns the link of a reminder, and the page that stops the reminders. */
export const withStopUrl = (link: EventLinkJson) => ({
  link,
  stopUrl: link.recipientUrl === null ? null : stopRemindersUrl(link.recipientUrl),
});
