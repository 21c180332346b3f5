import { join } from 'node:path';
import { newEvent } from '@recording-request/events/event';
import type { Kafka } from '@recording-request/events/kafka';
import { answerId } from '@recording-request/kit/ids';
import { PoisonError } from '@recording-request/kit/kafka-consumer';
import type { Logger } from '@recording-request/kit/log';
import type { Objects } from '@recording-request/kit/objects';
import type { Event, MediaProcessed, MediaRequested } from '@recording-request/proto/events/v1/events';
import { videoPath } from '../adapters/clip-files.ts';
import { DiskFullError } from '../adapters/ffmpeg.ts';
import type { JobDirectories } from '../adapters/job-directory.ts';
import { fetchToFile, storeFile, TooManyBytesError } from '../adapters/object-transfer.ts';
import type { Confinement } from '../adapters/sandbox.ts';
import { EXTENSION, MIME_TYPE } from '../domain/container.ts';
import { mediaKeys, videoPrefix } from '../domain/object-keys.ts';
import { sideBySide } from '../workflows/all-or-abort.ts';
import { type MadeMedia, makeMedia, NOT_PROCESSED, UnusableMediaError } from '../workflows/make-media.ts';

export interface MediaRoom {
  objects: Objects;
  kafka: Pick<Kafka, 'publish'>;
  jobs: JobDirectories;
  confinement: Confinement;
  jobMs: number;
  maxBytes: number;
}

// The rest of the job's time is for what goes to and comes from the store.
const WORK_SHARE = 0.8;
// With less than that a failure may be the disk's, not the clip's.
const FULL_DISK_BYTES = 64 * 1024 * 1024;
const TOO_SLOW = 'Processing the video took too long; it is kept as it came.';
const TOO_LARGE = 'The upload is too large to be processed; it is kept as it came.';

/** Makes the media of a submission and says so. Rejects when a later attempt may do better. */
export async function onMediaRequested(
  event: Event,
  { signal, log }: { signal: AbortSignal; log: Logger },
  room: MediaRoom,
): Promise<void> {
  if (event.payload?.$case !== 'mediaRequested') throw new PoisonError(`${event.type} is no request for media`);
  const request = event.payload.value;
  const work = AbortSignal.timeout(room.jobMs * WORK_SHARE);
  const jobLog = log.child({ submission: request.submissionId });
  await using job = await room.jobs.open();
  const wasShort = await room.jobs.isShortOf(FULL_DISK_BYTES);
  const mayBeDisk = async () => wasShort || (await room.jobs.isShortOf(FULL_DISK_BYTES));
  const path = join(job.path, 'source');
  try {
    const size = await fetchToFile(room.objects, request.sourceKey, path, { maxBytes: room.maxBytes, signal });
    if (size === undefined) return await onSourceGone(event.id, request, room, jobLog);
    const running = { signal: AbortSignal.any([signal, work]), confinement: room.confinement, log: jobLog };
    const make = () => makeMedia({ dir: job.path, known: request.inspection }, running);
    const again = async (error: unknown) => {
      // There is room by now. Once: a hostile clip can put these words into ffmpeg's messages, and must not be tried for ever.
      if (error instanceof DiskFullError && !(await mayBeDisk())) return make();
      throw error;
    };
    const made = await make()
      .catch(again)
      .catch(error => {
        if (work.aborted && !signal.aborted) throw new UnusableMediaError(TOO_SLOW, { cause: error });
        throw error;
      });
    // What a full disk kept from being made is made once there is room again.
    if (!made.isWhole && (await mayBeDisk())) throw new Error('the disk is full');
    const value = await store(made, request, room.objects, signal);
    await room.kafka.publish(
      newEvent('media.processed', { $case: 'mediaProcessed', value }, answerId(event.id, 'media.processed')),
    );
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined || (await mayBeDisk())) throw error;
    jobLog.warn({ err: error }, 'The media of a submission could not be made');
    await publishFailed(event.id, request, reason, room);
  }
}

/** The sentence for the owner, where trying again would not help. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof UnusableMediaError) return error.message;
  if (error instanceof DiskFullError) return NOT_PROCESSED;
  return error instanceof TooManyBytesError ? TOO_LARGE : undefined;
}

/** The upload is deleted once its media is recorded: then this is a late repetition. Without media there is nothing to make. */
async function onSourceGone(eventId: string, request: MediaRequested, room: MediaRoom, log: Logger): Promise<void> {
  for await (const { key } of room.objects.list(videoPrefix(request.projectId, request.submissionId))) {
    log.info({ key }, 'The media was made and recorded before; the request is dropped');
    return;
  }
  log.warn('The upload is gone and there is no media of it');
  await publishFailed(eventId, request, 'The upload is no longer stored, so it cannot be processed.', room);
}

async function publishFailed(eventId: string, request: MediaRequested, reason: string, room: MediaRoom): Promise<void> {
  const { projectId, submissionId } = request;
  const value = { projectId, submissionId, reason };
  await room.kafka.publish(
    newEvent('media.failed', { $case: 'mediaFailed', value }, answerId(eventId, 'media.failed')),
  );
}

async function store(
  made: MadeMedia,
  { projectId, submissionId }: MediaRequested,
  objects: Objects,
  signal: AbortSignal,
): Promise<MediaProcessed> {
  const keys = mediaKeys(projectId, submissionId);
  const { container } = made.clip.plan;
  const put = (key: string, path: string, mimeType: string) => (one: AbortSignal) =>
    storeFile(objects, { key, path, mimeType }, one);
  const { audio: sound } = made;
  const [video, audio, ...thumbnails] = await sideBySide(signal, [
    put(keys.video(EXTENSION[container]), videoPath(made.clip), MIME_TYPE[container]),
    sound === undefined ? async () => undefined : put(keys.audio, sound, 'audio/mp4'),
    ...made.thumbnails.map(({ name, path }) => put(keys.thumbnail(name), path, 'image/jpeg')),
  ]);
  return { projectId, submissionId, video, audio, thumbnails, inspection: made.inspection };
}
