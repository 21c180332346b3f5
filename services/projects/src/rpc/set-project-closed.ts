import type { SetProjectClosedRequest, SetProjectClosedResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { noSuchProject } from '../domain/project.ts';
import { projectUpdated } from '../messages.ts';
import { toProject } from './project-messages.ts';

/** A closed project accepts no new claims; responses that have begun may finish. Repeated calls change nothing. */
export const setProjectClosed =
  ({ store, clock }: Context) =>
  async ({ ownerId, projectId, closed }: SetProjectClosedRequest): Promise<SetProjectClosedResponse> => {
    const now = clock.now();
    const owned = { _id: projectId, ownerId };
    const project = await store.projects.setClosed(owned, closed ? now : null, projectUpdated(owned, ['closed']));
    if (!project) throw noSuchProject();
    const sums = await store.links.sums(ownerId, [projectId]);
    return { project: toProject(project, sums.get(projectId), now) };
  };
