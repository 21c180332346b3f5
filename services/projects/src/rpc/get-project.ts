import type { GetProjectRequest, GetProjectResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { noSuchProject } from '../domain/project.ts';
import { toProject } from './project-messages.ts';

export const getProject =
  ({ store, clock }: Context) =>
  async ({ ownerId, projectId }: GetProjectRequest): Promise<GetProjectResponse> => {
    const [project, sums] = await Promise.all([
      store.projects.find(ownerId, projectId),
      store.links.sums(ownerId, [projectId]),
    ]);
    if (!project) throw noSuchProject();
    return { project: toProject(project, sums.get(projectId), clock.now()) };
  };
