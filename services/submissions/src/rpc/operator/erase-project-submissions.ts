import { DomainError } from '@recording-request/kit/errors';
import { isUuid } from '@recording-request/kit/ids';
import type {
  EraseProjectSubmissionsRequest,
  EraseProjectSubmissionsResponse,
} from '@recording-request/proto/operator/v1/submissions';
import type { Context } from '../../context.ts';
import { eraseProject, tallyProject } from '../../workflows/erasure/erase-project.ts';
import { recordsEndAt } from '../../workflows/erasure/kafka-retention.ts';

/** Accepts any id, because only the projects service knows whether the project exists. */
export const eraseProjectSubmissions =
  (context: Context) =>
  async ({ projectId, dryRun }: EraseProjectSubmissionsRequest): Promise<EraseProjectSubmissionsResponse> => {
    if (!isUuid(projectId)) throw new DomainError('invalid', 'project_id must be a UUID.');
    const { tally, done } = dryRun
      ? { tally: await tallyProject(context, projectId), done: true }
      : await eraseProject(context, projectId);
    return { erased: tally, done, recordsEndAt: await recordsEndAt(context) };
  };
