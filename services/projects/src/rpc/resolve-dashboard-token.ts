import type {
  ResolveDashboardTokenRequest,
  ResolveDashboardTokenResponse,
} from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { noSuchProject } from '../domain/project.ts';
import { parseHash } from './parse.ts';

export const resolveDashboardToken =
  ({ store }: Context) =>
  async (request: ResolveDashboardTokenRequest): Promise<ResolveDashboardTokenResponse> => {
    const project = await store.projects.findByDashboardHash(parseHash('token_hash', request.tokenHash));
    if (!project || (await store.users.isDisabled(project.ownerId))) throw noSuchProject();
    return { ownerId: project.ownerId, projectId: project._id };
  };
