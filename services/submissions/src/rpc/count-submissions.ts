import type {
  CountSubmissionsRequest,
  CountSubmissionsResponse,
  SubmissionCounts,
} from '@recording-request/proto/submissions/v1/submissions';
import type { Counts, SubmissionStore } from '../store/submissions.ts';

export const countSubmissions =
  (submissions: SubmissionStore) =>
  async ({ ownerId, projectIds }: CountSubmissionsRequest): Promise<CountSubmissionsResponse> => {
    const counts = await submissions.count(ownerId, projectIds);
    return { counts: Object.fromEntries([...counts].map(([id, entry]) => [id, countsOf(entry)])) };
  };

/** The contract's figures: processing counts as pending. */
export const countsOf = ({ total, selected, byTranscript }: Counts): SubmissionCounts => ({
  videosCreated: total,
  selectedVideos: selected,
  transcriptCompleted: byTranscript.completed ?? 0,
  transcriptPending: (byTranscript.pending ?? 0) + (byTranscript.processing ?? 0),
  transcriptFailed: byTranscript.failed ?? 0,
});
