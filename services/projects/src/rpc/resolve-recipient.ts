import type { ResolveRecipientRequest, ResolveRecipientResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { noSuchLink } from '../domain/link.ts';
import { parseHash } from './parse.ts';
import { toLinkStatus, toLinkType, toSettings } from './project-messages.ts';

export const resolveRecipient =
  ({ store, clock }: Context) =>
  async (request: ResolveRecipientRequest): Promise<ResolveRecipientResponse> => {
    const link = await store.links.findByHash(parseHash('token_hash', request.tokenHash));
    if (!link) throw noSuchLink();
    const [project, isDisabled] = await Promise.all([
      store.projects.find(link.ownerId, link.projectId),
      store.users.isDisabled(link.ownerId),
    ]);
    if (!project) throw noSuchLink();
    return {
      linkId: link._id,
      projectId: link.projectId,
      ownerId: link.ownerId,
      linkType: toLinkType(link),
      status: toLinkStatus(isDisabled ? { ...link, disabled: true } : link, project.expiresAt, clock.now()),
      settings: toSettings(project.settings),
    };
  };
