import type { MeasureVideosRequest, MeasureVideosResponse } from '@recording-request/proto/submissions/v1/submissions';
import type { SubmissionStore } from '../store/submissions.ts';

export const measureVideos =
  (submissions: SubmissionStore) =>
  ({ ownerId, projectId }: MeasureVideosRequest): Promise<MeasureVideosResponse> =>
    submissions.measure(ownerId, projectId);
