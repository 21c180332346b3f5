import type { UpdateLinkRequest, UpdateLinkResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { noSuchLink } from '../domain/link.ts';
import { noSuchProject } from '../domain/project.ts';
import { toLink } from './project-messages.ts';

/** A disabled link accepts no new claims; responses that have begun may finish. */
export const updateLink =
  (context: Context) =>
  async (request: UpdateLinkRequest): Promise<UpdateLinkResponse> => {
    const { store } = context;
    const { ownerId, projectId, linkId, ...change } = request;
    const project = await store.projects.find(ownerId, projectId);
    if (!project) throw noSuchProject();
    const link = await store.links.update({ ownerId, projectId, linkId }, change);
    if (!link) throw noSuchLink();
    return { link: toLink(context, link, project, context.clock.now()) };
  };
