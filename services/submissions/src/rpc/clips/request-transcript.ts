import { DomainError } from '@recording-request/kit/errors';
import type {
  RequestTranscriptRequest,
  RequestTranscriptResponse,
} from '@recording-request/proto/submissions/v1/submissions';
import type { Context } from '../../context.ts';
import { askMedia, askTranscript } from '../../domain/clips/submission-changes.ts';
import { toMessage } from '../../messages.ts';
import { found } from './get-submission.ts';

/** Requests a failed transcript again. If the media failed too, requests the media first. */
export const requestTranscript =
  ({ submissions, jobs }: Pick<Context, 'submissions' | 'jobs'>) =>
  async (request: RequestTranscriptRequest): Promise<RequestTranscriptResponse> => {
    const now = await jobs.now();
    const after = await submissions.change(request, submission => {
      if (submission.transcriptStatus !== 'failed')
        throw new DomainError(
          'conflict',
          `A transcript can be asked for again once it has failed; this one is ${submission.transcriptStatus}.`,
          { reason: 'transcript_not_failed' },
        );
      // A clip has one job at a time.
      if (submission.mediaStatus === 'processing')
        throw new DomainError(
          'conflict',
          'The media of this clip is being made; ask for its transcript once that has ended.',
        );
      if (submission.audio) return askTranscript(submission, now);
      // When the media is ready, another process may delete the upload at any moment.
      if (!submission.source || submission.mediaStatus !== 'failed')
        throw new DomainError('conflict', 'The sound of this clip could not be read, so that it has no transcript.');
      const again = askMedia(submission, now);
      return { ...again, set: { ...again.set, transcriptStatus: 'pending', transcriptError: undefined } };
    });
    return { submission: toMessage(found(after)) };
  };
