import type { MeasureVideosRequest, MeasureVideosResponse } from '@recording-request/proto/submissions/v1/submissions';
import type { Context } from '../../context.ts';

export const measureVideos =
  ({ submissions }: Pick<Context, 'submissions'>) =>
  ({ ownerId, projectId }: MeasureVideosRequest): Promise<MeasureVideosResponse> =>
    submissions.measure(ownerId, projectId);
