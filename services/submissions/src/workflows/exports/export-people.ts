import { invitationsOf, withoutPerson } from '@recording-request/contract/invitations';
import type { ExportRequest } from '@recording-request/proto/exports/v1/exports';
import type { Invitation, Link, ListLinksResponse, Project } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../../context.ts';
import type { Submission } from '../../domain/clips/submission.ts';

/** A clip with its invitation. */
export interface ExportedClip extends Submission {
  invitation?: Invitation | undefined;
}

type People = Pick<ExportRequest, 'projectId' | 'withoutPeople'>;

/** Adds the invitations to a page of clips. */
export type Inviting = (clips: Submission[]) => Promise<ExportedClip[]>;

/** Returns the function that adds the invitations of a project; undefined if the project has none. */
export function inviting(
  { projectId, withoutPeople }: People,
  { hasInvitations }: Pick<Project, 'hasInvitations'>,
  { projects }: Pick<Context, 'projects'>,
  signal: AbortSignal,
): Inviting | undefined {
  if (!hasInvitations) return undefined;
  const shown = withoutPeople ? withoutPerson : (invitation: Invitation | undefined) => invitation;
  return async clips => {
    const invitationOf = await invitationsOf(projects, projectId, clips, { signal });
    return clips.map(clip => ({ ...clip, invitation: shown(invitationOf(clip)) }));
  };
}

/** Returns the links of an export, without their people if the export shows none. */
export function shownLinks({ withoutPeople }: People, links: ListLinksResponse): ListLinksResponse {
  if (!withoutPeople) return links;
  const shown = (link: Link) => ({ ...link, invitation: withoutPerson(link.invitation) });
  const { sharedLink, uniqueLinks } = links;
  return { ...links, sharedLink: sharedLink && shown(sharedLink), uniqueLinks: uniqueLinks.map(shown) };
}
