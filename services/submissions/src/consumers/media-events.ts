import type { ConsumerOptions } from '@recording-request/events/kafka';
import type { MediaProcessed, StoredObject as StoredObjectMessage } from '@recording-request/proto/events/v1/events';
import type { Context } from '../context.ts';
import type { StoredObject } from '../domain/clips/submission.ts';
import { onMediaFailed, type ProcessedMedia } from '../domain/clips/submission-changes.ts';
import { recordMedia } from '../workflows/clips/record-media.ts';

const LIMIT_MS = 30_000;

/** Consumes media.processed and media.failed. */
export const mediaEvents = (context: Context): ConsumerOptions => ({
  topic: 'media.events',
  group: 'submissions',
  concurrency: 1,
  jobLimitMs: LIMIT_MS,
  async handle({ payload }) {
    if (payload?.$case === 'mediaProcessed') await recordMedia(context, payload.value, mediaOf(payload.value));
    if (payload?.$case === 'mediaFailed') {
      const { reason, clipAtFault } = payload.value;
      const fault = clipAtFault ? 'clip' : 'service';
      await context.submissions.change(payload.value, submission => onMediaFailed(submission, reason, fault));
    }
  },
});

const mediaOf = (message: MediaProcessed): ProcessedMedia => ({
  video: message.video && stored(message.video),
  audio: message.audio && stored(message.audio),
  thumbnails: message.thumbnails.map(stored),
  durationSec: message.inspection?.durationSec,
  hasSound: message.audio !== undefined || (message.inspection?.hasAudio ?? false),
  problem: message.problem,
});

const stored = ({ key, size, mimeType, sha256, crc32 }: StoredObjectMessage): StoredObject => ({
  key,
  size,
  mimeType,
  sha256,
  crc32,
});
