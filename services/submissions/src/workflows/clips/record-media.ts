import type { Context } from '../../context.ts';
import { onMediaProcessed, type ProcessedMedia } from '../../domain/clips/submission-changes.ts';
import { removeLateObjects } from '../erasure/erase-submission.ts';
import { removeSource } from '../uploads/upload-bytes.ts';

type RecordContext = Pick<
  Context,
  'config' | 'submissions' | 'jobs' | 'objects' | 'archives' | 'erasures' | 'backupHold'
>;

interface SubmissionKey {
  projectId: string;
  submissionId: string;
}

/**
 * Records the media worker's result. Then removes the upload if the media is ready and has its own video. If a readable
 * archive shows the upload or a backup is running, removes the upload later.
 */
export async function recordMedia(
  context: RecordContext,
  { projectId, submissionId }: SubmissionKey,
  media: ProcessedMedia,
): Promise<void> {
  const { config, submissions, jobs, objects, archives, backupHold } = context;
  const now = await jobs.now();
  const after = await submissions.change({ projectId, submissionId }, submission =>
    onMediaProcessed(submission, media, now),
  );
  // Without a stored video the upload is the only copy.
  if (after?.mediaStatus === 'ready' && after.source && after.video) {
    if (await archives.holdsSources(projectId)) {
      await submissions.holdSource(projectId, submissionId, config.exportResumeSeconds * 1_000);
    } else if (await backupHold.isHeld()) {
      await submissions.holdSource(projectId, submissionId, 0);
    } else {
      await removeSource(objects, after.source);
      await submissions.dropSource(projectId, submissionId);
    }
  }
  // The submission may have been erased while the job ran, so its results are removed too. A later erasure would find
  // them.
  if (!after) await removeLateObjects(context, projectId, submissionId);
}
