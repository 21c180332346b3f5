import type {
  ResolveDashboardTokenRequest,
  ResolveDashboardTokenResponse,
} from '@recording-request/proto/projects/v1/projects';
import { type Context, checkHash, noSuchProject } from '../context.ts';

export const resolveDashboardToken =
  ({ store }: Context) =>
  async (request: ResolveDashboardTokenRequest): Promise<ResolveDashboardTokenResponse> => {
    const project = await store.projects.findByDashboardHash(checkHash('token_hash', request.tokenHash));
    if (!project) throw noSuchProject();
    return { ownerId: project.ownerId, projectId: project._id };
  };
