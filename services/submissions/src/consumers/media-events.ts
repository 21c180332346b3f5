import type { ConsumerOptions } from '@recording-request/events/kafka';
import type { Objects } from '@recording-request/kit/objects';
import type { MediaProcessed, StoredObject as StoredObjectMessage } from '@recording-request/proto/events/v1/events';
import { onMediaFailed, onMediaProcessed, type StoredObject } from '../domain/submission.ts';
import type { SubmissionStore } from '../store/submissions.ts';
import type { Eraser } from '../workflows/erase-submission.ts';

/** media.processed and media.failed: records what the media worker made, then lets go of the upload as it came. */
export function handleMediaEvents(
  submissions: SubmissionStore,
  objects: Objects,
  eraser: Pick<Eraser, 'removeLate'>,
): ConsumerOptions['handle'] {
  return async event => {
    if (event.payload?.$case === 'mediaProcessed') {
      await onProcessed(event.payload.value, submissions, objects);
      // The job went on while the submission was erased: what it made goes too.
      await eraser.removeLate(event.payload.value.projectId, event.payload.value.submissionId);
    }
    if (event.payload?.$case === 'mediaFailed') {
      const { projectId, submissionId, reason } = event.payload.value;
      await submissions.change({ projectId, submissionId }, submission => onMediaFailed(submission, reason));
    }
  };
}

async function onProcessed(message: MediaProcessed, submissions: SubmissionStore, objects: Objects): Promise<void> {
  const { projectId, submissionId } = message;
  const media = {
    video: stored(message.video!),
    audio: message.audio && stored(message.audio),
    thumbnails: message.thumbnails.map(stored),
    durationSec: message.inspection?.durationSec,
    hasSound: message.audio !== undefined || (message.inspection?.hasAudio ?? false),
  };
  const after = await submissions.change({ projectId, submissionId }, submission =>
    onMediaProcessed(submission, media, new Date()),
  );
  // Only once the remux is recorded: until then the upload as it came is the only copy.
  if (after?.mediaStatus !== 'ready' || !after.source || after.source.key === after.video?.key) return;
  await objects.remove([after.source.key]);
  await submissions.dropSource(projectId, submissionId);
}

const stored = ({ key, size, mimeType, sha256, crc32 }: StoredObjectMessage): StoredObject => ({
  key,
  size,
  mimeType,
  sha256,
  crc32,
});
