import type { GetProjectRequest, GetProjectResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { noSuchProject } from '../domain/project.ts';
import { toProject } from './project-messages.ts';

export const getProject =
  ({ store, clock }: Context) =>
  async ({ ownerId, projectId, nameOnly }: GetProjectRequest): Promise<GetProjectResponse> => {
    if (nameOnly) {
      const projectName = await store.projects.nameOf(ownerId, projectId);
      if (projectName === undefined) throw noSuchProject();
      return { projectName };
    }
    const [project, sums] = await Promise.all([
      store.projects.find(ownerId, projectId),
      store.links.sums(ownerId, [projectId]),
    ]);
    if (!project) throw noSuchProject();
    return { project: toProject(project, sums.get(projectId), clock.now()) };
  };
