import type { GetProjectRequest, GetProjectResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { noSuchProject } from '../domain/project.ts';
import { toProject } from './project-messages.ts';

export const getProject =
  ({ store, clock }: Context) =>
  async ({ ownerId, projectId, nameOnly }: GetProjectRequest): Promise<GetProjectResponse> => {
    if (nameOnly) {
      const named = await store.projects.nameOf(ownerId, projectId);
      if (!named) throw noSuchProject();
      return named;
    }
    const project = await store.projects.findWithLinks(ownerId, projectId);
    if (!project) throw noSuchProject();
    const sums = await store.links.sumsFrom(ownerId, projectId, project);
    return { project: toProject(project, sums, clock.now()), hasInvitations: project.hasInvitations ?? false };
  };
