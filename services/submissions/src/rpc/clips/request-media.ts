import type { RequestMediaRequest, RequestMediaResponse } from '@recording-request/proto/submissions/v1/submissions';
import type { Context } from '../../context.ts';
import { askMediaAgain } from '../../domain/clips/media-again.ts';
import { toMessage } from '../../messages.ts';
import { found } from './get-submission.ts';

/** Requests the media again when a part could not be made. */
export const requestMedia =
  ({ submissions, jobs }: Pick<Context, 'submissions' | 'jobs'>) =>
  async (request: RequestMediaRequest): Promise<RequestMediaResponse> => {
    const now = await jobs.now();
    const after = await submissions.change(request, submission => askMediaAgain(submission, now));
    return { submission: toMessage(found(after)) };
  };
