import {
  LinkStatus,
  type ResolveRecipientRequest,
  type ResolveRecipientResponse,
} from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import type { Invitation } from '../domain/invitation.ts';
import { type Link, noSuchLink } from '../domain/link.ts';
import type { Project } from '../domain/project.ts';
import { isUnderWay, type Response } from '../domain/response.ts';
import { brandFor } from '../domain/settings-rules.ts';
import { settingsOfResponse } from '../domain/time-limit.ts';
import { openInvitation } from '../workflows/invitations.ts';
import { parseHash } from './parse.ts';
import { toLinkStatus, toLinkType } from './project-messages.ts';
import { messageOf } from './response-messages.ts';

export const resolveRecipient =
  (context: Context) =>
  async (request: ResolveRecipientRequest): Promise<ResolveRecipientResponse> => {
    const { store, clock } = context;
    const found = await store.claimables.findByHash(parseHash('token_hash', request.tokenHash));
    if (!found) throw noSuchLink();
    const { link, project, isDisabled, ownerBrand } = found;
    const status = toLinkStatus(isDisabled ? { ...link, disabled: true } : link, project, clock.now());
    const isOpen = status !== LinkStatus.LINK_STATUS_DISABLED;
    const underWay = request.withResponse && isOpen ? await responseUnderWay(store, link) : null;
    const invitation = openInvitation(context, link);
    return {
      linkId: link._id,
      projectId: link.projectId,
      ownerId: link.ownerId,
      linkType: toLinkType(link),
      status,
      settings: settingsOfResponse(project.settings, invitation.timeFactor),
      projectClosed: project.closedAt !== undefined,
      underWay: underWay ? messageOf(underWay, project.settings) : undefined,
      remindersStopped: link.remindersStopped,
      brand: brandFor(project.settings.brand, ownerBrand),
      hasLogo: project.logo !== undefined,
      ...(request.withResponse ? shownOf(invitation, project) : {}),
    };
  };

function shownOf({ person, dueAt }: Invitation, project: Project) {
  return {
    locale: person?.locale || undefined,
    recipientName: person?.name || undefined,
    dueAt: dueAt ?? undefined,
    expiresAt: project.expiresAt ?? undefined,
  } satisfies Partial<ResolveRecipientResponse>;
}

async function responseUnderWay({ responses }: Context['store'], link: Link): Promise<Response | null> {
  if (link.type !== 'unique' || link.claimed + link.landed === 0) return null;
  const response = await responses.findSolo(link._id);
  return response && isUnderWay(response) ? response : null;
}
