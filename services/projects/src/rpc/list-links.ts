import type { ListLinksRequest, ListLinksResponse } from '@recording-request/proto/projects/v1/projects';
import { SHARED_POSITION } from '../domain/link.ts';
import { type Context, noSuchProject } from './context.ts';
import { mapInTurns, toLink } from './project-messages.ts';

export const listLinks =
  (context: Context) =>
  async ({ ownerId, projectId }: ListLinksRequest): Promise<ListLinksResponse> => {
    const { store } = context;
    const [project, links] = await Promise.all([
      store.projects.find(ownerId, projectId),
      store.links.listOf(ownerId, projectId),
    ]);
    if (!project) throw noSuchProject();
    const now = new Date();
    const messages = await mapInTurns(links, link => toLink(context, link, project.expiresAt, now));
    const hasShared = links[0]?.position === SHARED_POSITION;
    return {
      sharedLink: hasShared ? messages[0] : undefined,
      uniqueLinks: hasShared ? messages.slice(1) : messages,
    };
  };
