/** Loads the invitations of clips. Callers load them each time that they show clips, and never store them. */
import type {
  GetInvitationsRequest,
  GetInvitationsResponse,
  Invitation,
  Origin,
} from '@recording-request/proto/projects/v1/projects';
import type { Submission } from '@recording-request/proto/submissions/v1/submissions';

/** The fields of a clip that identify its invitation. */
export type InvitedClip = Pick<Submission, 'linkId' | 'link' | 'responseId'>;

export interface InvitationSource {
  getInvitations(request: GetInvitationsRequest, options?: { signal?: AbortSignal }): Promise<GetInvitationsResponse>;
}

/** Returns the invitation of a clip; undefined without one. */
export type InvitationOf = (clip: InvitedClip) => Invitation | undefined;

/** The result for a project without invitations. */
export const nobodyInvited: InvitationOf = () => undefined;

const ORIGINS_MAX = 500;

/** Loads the invitations of a project's clips. Requests each origin once, at most 500 per call. */
export async function invitationsOf(
  source: InvitationSource,
  projectId: string,
  clips: Iterable<InvitedClip>,
  options?: { signal?: AbortSignal },
): Promise<InvitationOf> {
  const origins = new Map<string, Origin>();
  for (const clip of clips) origins.set(keyOf(clip), originOf(clip));
  const all = [...origins.values()];
  const found = new Map<string, Invitation>();
  const keys = [...origins.keys()];
  for (let at = 0; at < all.length; at += ORIGINS_MAX) {
    const request = { projectId, origins: all.slice(at, at + ORIGINS_MAX) };
    const { invitations } = await source.getInvitations(request, options);
    for (const [index, invitation] of invitations.entries()) found.set(keys[at + index]!, invitation);
  }
  return clip => found.get(keyOf(clip));
}

/** All clips of a unique link have the link's invitation. On the shared link, each response has its own. */
function originOf({ linkId, link, responseId }: InvitedClip): Origin {
  const isUnique = link !== undefined && link.position > 0;
  return { linkId, responseSessionId: isUnique ? '' : responseId };
}

const keyOf = (clip: InvitedClip): string => Object.values(originOf(clip)).join(' ');

/** Returns only the deadline, for readers that must not see the person. */
export const withoutPerson = (invitation: Invitation | undefined): Invitation | undefined =>
  invitation && { metadata: {}, dueAt: invitation.dueAt };
