import { DomainError } from '@recording-request/kit/errors';
import { isUuid } from '@recording-request/kit/ids';
import type {
  EraseProjectSubmissionsRequest,
  EraseProjectSubmissionsResponse,
} from '@recording-request/proto/operator/v1/submissions';
import type { Eraser } from '../workflows/erase-submission.ts';

/** Whether the project exists is the projects service's to know: here any id is closed. */
export const eraseProjectSubmissions =
  (eraser: Eraser) =>
  async ({ projectId, dryRun }: EraseProjectSubmissionsRequest): Promise<EraseProjectSubmissionsResponse> => {
    if (!isUuid(projectId)) throw new DomainError('invalid', 'project_id must be a UUID.');
    const { tally, done } = dryRun
      ? { tally: await eraser.tallyProject(projectId), done: true }
      : await eraser.project(projectId);
    return { erased: tally, done, recordsEndAt: await eraser.recordsEndAt() };
  };
