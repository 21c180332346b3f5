import type { EraseProjectRequest, EraseProjectResponse } from '@recording-request/proto/operator/v1/projects';
import type { Context } from '../context.ts';
import { eraseProject as erase, tallyProject } from '../workflows/erase-project.ts';

export const eraseProject =
  (context: Context) =>
  async ({ projectId, dryRun }: EraseProjectRequest): Promise<EraseProjectResponse> =>
    dryRun ? await tallyProject(context, projectId) : await erase(context, projectId);
