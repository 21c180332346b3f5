import { DomainError } from '@recording-request/kit/errors';
import { isUuid } from '@recording-request/kit/ids';
import type {
  GetInvitationsRequest,
  GetInvitationsResponse,
  Origin,
} from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { type Invitation, NOTHING_STATED, type Person } from '../domain/invitation.ts';
import { responseKey } from '../domain/response.ts';
import type { InvitedLink } from '../store/people.ts';
import { openInvitation, openReference } from '../workflows/invitations.ts';
import { toInvitation } from './invitation-messages.ts';

const ORIGINS_MAX = 500;

export const getInvitations =
  (context: Context) =>
  async ({ projectId, origins }: GetInvitationsRequest): Promise<GetInvitationsResponse> => {
    if (origins.length > ORIGINS_MAX)
      throw new DomainError('invalid', `origins must have at most ${ORIGINS_MAX} entries.`);
    const ids = [...new Set(origins.map(({ linkId }) => linkId))];
    const links = ids.length > 0 ? await context.store.people.invitationsOf(projectId, ids) : [];
    const stated = new Map(links.map(link => [link._id, openInvitation(context, link)]));
    const references = await referencesOf(context, links, origins);
    const invitations = origins.map(origin => {
      const invitation = stated.get(origin.linkId) ?? NOTHING_STATED;
      const reference = references.get(keyOf(origin)) ?? '';
      return reference === '' ? invitation : referred(invitation, reference);
    });
    return { invitations: invitations.map(toInvitation) };
  };

const keyOf = ({ linkId, responseSessionId }: Origin): string => responseKey(linkId, responseSessionId.toLowerCase());

/** Returns the references of responses on shared links, by the key of the response. */
async function referencesOf(context: Context, links: InvitedLink[], origins: Origin[]): Promise<Map<string, string>> {
  const shared = new Set(links.filter(({ type }) => type === 'shared').map(({ _id }) => _id));
  const asked = origins.filter(({ linkId, responseSessionId }) => shared.has(linkId) && isUuid(responseSessionId));
  const lists = await Promise.all(
    [...Map.groupBy(asked, ({ linkId }) => linkId)].map(([linkId, each]) =>
      context.store.people.referencesOf(linkId, [...new Set(each.map(keyOf))]),
    ),
  );
  return new Map(lists.flat().map(response => [response._id, openReference(context, response)]));
}

/**
 * Adds the reference from the address that the contributor opened. It is not verified, because anybody can change the
 * address.
 */
function referred(invitation: Invitation, reference: string): Invitation {
  const person: Person = { name: '', reference, email: '', locale: '', verified: false };
  return { ...invitation, person };
}
