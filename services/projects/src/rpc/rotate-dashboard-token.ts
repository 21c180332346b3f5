import { hashToken, mintToken } from '@recording-request/contract/tokens';
import type {
  RotateDashboardTokenRequest,
  RotateDashboardTokenResponse,
} from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { noSuchProject } from '../domain/project.ts';

/** The former token becomes invalid at once. */
export const rotateDashboardToken =
  ({ store }: Context) =>
  async ({ ownerId, projectId }: RotateDashboardTokenRequest): Promise<RotateDashboardTokenResponse> => {
    const projectToken = mintToken('prj');
    const known = await store.projects.setDashboardHash(ownerId, projectId, hashToken(projectToken));
    if (!known) throw noSuchProject();
    return { projectToken };
  };
