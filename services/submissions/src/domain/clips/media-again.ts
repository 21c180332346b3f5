import { DomainError } from '@recording-request/kit/errors';
import type { Change, Submission } from './submission.ts';
import { askMedia, failedWithMedia } from './submission-changes.ts';

/** The fields that decide whether the media can be made again. */
export type Unmade = Pick<
  Submission,
  'id' | 'projectId' | 'mediaStatus' | 'mediaError' | 'source' | 'video' | 'transcriptStatus' | 'transcriptError'
>;

/** Returns whether some of the media could not be made. */
export const lacksMedia = ({ mediaStatus, mediaError }: Unmade): boolean =>
  mediaStatus === 'failed' || (mediaStatus === 'ready' && Boolean(mediaError));

/**
 * Requests the media again, and the transcript if it failed because the media did. Fails with `conflict` when no part
 * failed, when a transcript is being made (a clip has one job at a time), and when the uploaded bytes no longer exist.
 */
export function askMediaAgain(submission: Unmade, now: Date): Change {
  const { mediaStatus, transcriptStatus, source, video } = submission;
  if (!lacksMedia(submission))
    throw new DomainError(
      'conflict',
      mediaStatus === 'processing'
        ? 'The media of this clip is being made already.'
        : 'Nothing of the media of this clip failed, so that there is nothing to make again.',
      { reason: 'media_not_failed' },
    );
  if (transcriptStatus === 'pending' || transcriptStatus === 'processing')
    throw new DomainError('conflict', 'The transcript of this clip is being made; ask again once that has ended.');
  // When the video is ready, another process may delete the upload at any moment.
  if (!source || (mediaStatus === 'ready' && video))
    throw new DomainError('conflict', 'The media cannot be made again: the upload of this clip is not kept.');
  const { set, events } = askMedia(submission, now);
  const transcript = failedWithMedia(submission) && {
    transcriptStatus: 'pending' as const,
    transcriptError: undefined,
  };
  return { set: { ...set, ...transcript }, events };
}
