import type {
  EraseOwnedProjectRequest,
  EraseOwnedProjectResponse,
} from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { eraseOwnedProject as erase } from '../workflows/erase-project.ts';

export const eraseOwnedProject =
  (context: Context) =>
  async (request: EraseOwnedProjectRequest): Promise<EraseOwnedProjectResponse> => {
    const { erasedBeforeAt: _, ...counts } = await erase(context, request);
    return { counts };
  };
