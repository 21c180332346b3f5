import type { SetLinkDisabledRequest, SetLinkDisabledResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { noSuchLink } from '../domain/link.ts';
import { noSuchProject } from '../domain/project.ts';
import { toLink } from './project-messages.ts';

/** A disabled link takes no new claims; a response that was begun before may finish. */
export const setLinkDisabled =
  (context: Context) =>
  async (request: SetLinkDisabledRequest): Promise<SetLinkDisabledResponse> => {
    const { store } = context;
    const { ownerId, projectId } = request;
    const project = await store.projects.find(ownerId, projectId);
    if (!project) throw noSuchProject();
    const link = await store.links.setDisabled(ownerId, projectId, request.linkId, request.disabled);
    if (!link) throw noSuchLink();
    return { link: toLink(context, link, project.expiresAt, context.clock.now()) };
  };
