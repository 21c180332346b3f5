import type { InvitationInput, PersonInput } from '@recording-request/contract/invitation';
import { canonicalLanguageTag } from '@recording-request/contract/language-tag';
import type { UpdateLinkInput } from '@recording-request/contract/link-requests';
import type { Invitation, Person, UpdateLinkRequest } from '@recording-request/proto/projects/v1/projects';

/**
 * Returns the invitation that a row of a request states. Trims texts. Replaces half surrogate pairs in the same way as
 * protobuf, because the HTTP response to a creation shows this invitation.
 */
export const invitationOf = ({ metadata = {}, dueAt, timeFactor, ...person }: InvitationInput): Invitation => ({
  person: personOf(person),
  metadata: Object.fromEntries(
    Object.entries(metadata).map(([name, text]) => [name.toWellFormed(), text.toWellFormed()]),
  ),
  dueAt: dueAt ? new Date(dueAt) : undefined,
  timeFactor: timeFactor ?? undefined,
});

/** Returns undefined if no field of the person has a text. */
function personOf(given: PersonInput): Person | undefined {
  const name = textOf(given.name);
  const reference = textOf(given.reference);
  const email = textOf(given.email);
  const locale = canonicalLanguageTag(textOf(given.locale)) ?? '';
  return name || reference || email || locale ? { name, reference, email, locale, verified: true } : undefined;
}

const textOf = (text: string | null | undefined): string => text?.trim().toWellFormed() ?? '';

/** Returns the request to change a link; fields that the body omits stay unchanged. */
export function linkChangeOf(body: UpdateLinkInput): Omit<UpdateLinkRequest, 'ownerId' | 'projectId' | 'linkId'> {
  const { disabled, remindersStopped, recipient, metadata, dueAt, timeFactor } = body;
  const person = recipient ? personOf(recipient) : undefined;
  return {
    disabled,
    remindersStopped,
    personChange:
      recipient === undefined
        ? undefined
        : person
          ? { $case: 'person', value: person }
          : { $case: 'noPerson', value: true },
    metadata: metadata && { metadata },
    dueChange:
      dueAt === undefined
        ? undefined
        : dueAt === null
          ? { $case: 'noDue', value: true }
          : { $case: 'dueAt', value: new Date(dueAt) },
    // 0 removes it.
    timeFactor: timeFactor === null ? 0 : timeFactor,
  };
}

/** Returns whether a change of a link changes the JSON of its clips, which have no time factor. */
export const changesInvitation = ({ recipient, metadata, dueAt }: UpdateLinkInput): boolean =>
  [recipient, metadata, dueAt].some(value => value !== undefined);
