import type { ListProjectsRequest, ListProjectsResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { toProject } from './project-messages.ts';

/** Newest first; `settings.terms_text` is left empty, so that a long list fits into one message. */
export const listProjects =
  ({ store }: Context) =>
  async ({ ownerId }: ListProjectsRequest): Promise<ListProjectsResponse> => {
    const projects = await store.projects.listOf(ownerId);
    const sums = await store.links.sums(
      ownerId,
      projects.map(project => project._id),
    );
    const now = new Date();
    return { projects: projects.map(project => toProject(project, sums.get(project._id), now)) };
  };
