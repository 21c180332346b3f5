import type {
  CountSubmissionsRequest,
  CountSubmissionsResponse,
} from '@recording-request/proto/submissions/v1/submissions';
import type { Context } from '../../context.ts';
import { countsOf } from '../../messages.ts';

export const countSubmissions =
  ({ submissions }: Pick<Context, 'submissions'>) =>
  async ({ ownerId, projectIds }: CountSubmissionsRequest): Promise<CountSubmissionsResponse> => {
    const counts = await submissions.count(ownerId, projectIds);
    return { counts: Object.fromEntries([...counts].map(([id, entry]) => [id, countsOf(entry)])) };
  };
