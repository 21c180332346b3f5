import { DomainError } from '@recording-request/kit/errors';
import type { Change, Submission } from './submission.ts';
import { askMedia, failedWithMedia } from './submission-changes.ts';

/** The fields by which it is decided. */
export type Unmade = Pick<
  Submission,
  'id' | 'projectId' | 'mediaStatus' | 'mediaError' | 'source' | 'video' | 'transcriptStatus' | 'transcriptError'
>;

/** Whether something of the media could not be made. */
export const lacksMedia = ({ mediaStatus, mediaError }: Unmade): boolean =>
  mediaStatus === 'failed' || (mediaStatus === 'ready' && Boolean(mediaError));

/**
 * Requests the media again, and with it a transcript that failed for want of the media. Fails with `conflict` where nothing is to do,
 * where a transcript is being made, as there is one job at a time, and where the uploaded bytes are not kept.
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
  // The upload beside a video that is ready may go at any moment.
  if (!source || (mediaStatus === 'ready' && video))
    throw new DomainError('conflict', 'The media cannot be made again: the upload of this clip is not kept.');
  const { set, events } = askMedia(submission, now);
  const transcript = failedWithMedia(submission) && {
    transcriptStatus: 'pending' as const,
    transcriptError: undefined,
  };
  return { set: { ...set, ...transcript }, events };
}
