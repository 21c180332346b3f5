import type { GetEventLinkRequest, GetEventLinkResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { noSuchLink } from '../domain/link.ts';
import { sealedFor } from '../domain/sealing.ts';
import { openUnlessLost } from '../workflows/open-unless-lost.ts';
import { getInvitations } from './get-invitations.ts';

export const getEventLink =
  (context: Context) =>
  async ({ projectId, linkId, responseSessionId }: GetEventLinkRequest): Promise<GetEventLinkResponse> => {
    const origins = [{ linkId, responseSessionId }];
    const [link, stated] = await Promise.all([
      context.store.links.find({ linkId, projectId }),
      getInvitations(context)({ projectId, origins }),
    ]);
    if (!link) throw noSuchLink();
    const token = openUnlessLost(context, link.sealedToken, sealedFor.link(linkId));
    return { token: token?.toString() ?? '', invitation: stated.invitations[0] };
  };
