import type { GetSharedLinkRequest, GetSharedLinkResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { lostSharedLink, noSharedLink } from '../domain/link.ts';
import { noSuchProject } from '../domain/project.ts';
import { toLink } from './project-messages.ts';

export const getSharedLink =
  (context: Context) =>
  async ({ ownerId, projectId }: GetSharedLinkRequest): Promise<GetSharedLinkResponse> => {
    const { store } = context;
    const [project, link] = await Promise.all([
      store.projects.find(ownerId, projectId),
      store.links.findShared(ownerId, projectId),
    ]);
    if (!project) throw noSuchProject();
    if (!link) throw noSharedLink();
    const message = toLink(context, link, project, context.clock.now());
    // Fails if the token cannot be opened: the gateway draws the address as a QR code, and without the token, this
    // address would be invalid.
    if (message.token === '') throw lostSharedLink();
    return { link: message };
  };
