import type {
  UpdateSubmissionRequest,
  UpdateSubmissionResponse,
} from '@recording-request/proto/submissions/v1/submissions';
import type { Context } from '../../context.ts';
import { toMessage } from '../../messages.ts';
import { found } from './get-submission.ts';

export const updateSubmission =
  ({ submissions }: Pick<Context, 'submissions'>) =>
  async (request: UpdateSubmissionRequest): Promise<UpdateSubmissionResponse> => {
    const { selected, reviewNote } = request;
    const after = await submissions.change(request, () => ({
      set: {
        ...(selected === undefined ? {} : { selected }),
        ...(reviewNote === undefined ? {} : { reviewNote: reviewNote || undefined }),
      },
      events: [],
    }));
    return { submission: toMessage(found(after)) };
  };
