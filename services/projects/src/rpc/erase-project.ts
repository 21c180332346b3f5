import type { EraseProjectRequest, EraseProjectResponse } from '@recording-request/proto/operator/v1/projects';
import { type Context, noSuchProject } from '../context.ts';

/** What this service has of a project. The submissions and deliveries are erased before, by their services. */
export const eraseProject =
  ({ store }: Context) =>
  async ({ projectId, dryRun }: EraseProjectRequest): Promise<EraseProjectResponse> => {
    const { erasures } = store;
    const before = await erasures.find('project', projectId);
    if (dryRun) {
      const tally = await erasures.tallyProject(projectId);
      if (!tally && !before) throw noSuchProject();
      return { ...(tally ?? NOTHING), erasedBeforeAt: before?.at };
    }
    const videosReleased = await erasures.closeProject(projectId, new Date());
    const tombstone = await erasures.find('project', projectId);
    if (!tombstone) throw noSuchProject();
    const removed = await erasures.removeProject(tombstone);
    return { ...removed, videosReleased: videosReleased ?? 0, erasedBeforeAt: before?.at };
  };

const NOTHING = { links: 0, responses: 0, rememberedAnswers: 0, videosReleased: 0 };
