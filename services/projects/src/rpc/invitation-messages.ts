import type * as proto from '@recording-request/proto/projects/v1/projects';
import { type Invitation, isEmpty, type Person } from '../domain/invitation.ts';

export const fromInvitation = ({ person, metadata, dueAt, timeFactor }: proto.Invitation): Invitation => ({
  person: person ? fromPerson(person) : null,
  metadata,
  dueAt: dueAt ?? null,
  timeFactor: timeFactor ?? null,
});

/** A person from the owner's request is verified. */
export const fromPerson = ({ name, reference, email, locale }: proto.Person): Person => ({
  ...{ name, reference, email, locale },
  verified: true,
});

/** Leaves the time factor out: services that show clips and events must not have it. */
export const toInvitation = ({ person, metadata, dueAt }: Invitation): proto.Invitation => ({
  person: person ?? undefined,
  metadata,
  dueAt: dueAt ?? undefined,
});

/** Returns undefined for an empty invitation. */
export const toInvitationIfAny = (invitation: Invitation): proto.Invitation | undefined =>
  isEmpty(invitation) ? undefined : toInvitation(invitation);
