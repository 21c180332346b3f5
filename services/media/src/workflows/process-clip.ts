import { join } from 'node:path';
import { newEvent } from '@recording-request/events/event';
import { asOutage, OutageError } from '@recording-request/events/job-claims';
import type { Kafka } from '@recording-request/events/kafka';
import type { Logger } from '@recording-request/kit/log';
import { durationOf, secondsSince } from '@recording-request/kit-telemetry/metrics';
import type { MediaProcessed } from '@recording-request/proto/events/v1/events';
import type { MediaJob } from '@recording-request/proto/work/v1/work';
import { DiskFullError } from '../adapters/ffmpeg.ts';
import type { JobDirectories } from '../adapters/job-directory.ts';
import { downloadUpload, ObjectTooLargeError } from '../adapters/object-transfer.ts';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { videoPrefix } from '../domain/object-keys.ts';
import { beginMedia, finishMedia, type MakeOptions, NOT_PROCESSED, UnusableMediaError } from './make-media.ts';
import { storeMedia } from './store-media.ts';

export interface ProcessClipDeps extends Pick<Context, 'objects' | 'jobs' | 'sandbox'> {
  kafka: Pick<Kafka, 'publish'>;
  config: Pick<Config, 'jobSeconds' | 'sourceMaxBytes'>;
}

const mediaRatio = durationOf('recording.media.ratio');
// The share of a job's time for ffmpeg; the rest is for transfers from and to the object store.
const WORK_SHARE = 0.8;
// With less free space than this, a full disk, and not the clip, may have caused a failure.
const FULL_DISK_BYTES = 64 * 1024 * 1024;
const TOO_LARGE = 'The upload is too large to be processed; it is kept as it came.';
const NOT_PUBLISHED = 'The result could not be published';
const GONE = 'The upload is no longer stored, so it cannot be processed.';

/**
 * Makes and stores the media of a submission, then publishes `media.processed` or `media.failed`. Rejects when a retry
 * may succeed. Rejects with an OutageError when the clip did not cause the failure.
 */
export async function processClip(
  deps: ProcessClipDeps,
  request: MediaJob,
  { signal, log }: { signal: AbortSignal; log: Logger },
): Promise<void> {
  const { objects, jobs, kafka, config } = deps;
  const timeLimit = AbortSignal.timeout(config.jobSeconds * 1000 * WORK_SHARE);
  await using job = await jobs.open().catch(asOutage('No directory could be made for the job'));
  const mayBeDisk = await watchDisk(jobs);
  try {
    const target = { maxBytes: config.sourceMaxBytes, signal };
    const upload = { key: request.sourceKey, parts: request.sourceParts };
    const size = await downloadUpload(objects, upload, join(job.path, 'source'), target);
    if (size === undefined) return await onSourceGone(deps, request, log);
    const making = () => makeAndStore(deps, job.path, request, { signal, timeLimit, mayBeDisk, log });
    const value = await making().catch(async error => {
      // Retries because the disk has room again, but only once: a hostile clip can make ffmpeg report a full disk, and
      // must not cause endless retries.
      if (error instanceof DiskFullError && !(await mayBeDisk())) return making();
      throw error;
    });
    await kafka.publish(newEvent('media.processed', { $case: 'mediaProcessed', value })).catch(asOutage(NOT_PUBLISHED));
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    if (await mayBeDisk()) throw new OutageError('The disk is full', { cause: error });
    log.warn({ err: error }, 'The media of a submission could not be made');
    await publishFailed(kafka, request, { reason, clipAtFault: true });
  }
}

async function makeAndStore(
  { objects, sandbox }: ProcessClipDeps,
  dir: string,
  request: MediaJob,
  options: { signal: AbortSignal; timeLimit: AbortSignal; mayBeDisk: () => Promise<boolean>; log: Logger },
): Promise<MediaProcessed> {
  const { signal, timeLimit, mayBeDisk, log } = options;
  const startedAt = performance.now();
  const inTime = async <T>(make: (options: MakeOptions) => Promise<T>, until: AbortSignal) => {
    try {
      return await make({ signal: AbortSignal.any([until, timeLimit]), sandbox, log });
    } catch (error) {
      // Throws, so that the job is retried: on a busy machine, a timeout does not show a fault of the clip. The limit
      // of the job's attempts ends the retries.
      if (timeLimit.aborted && !signal.aborted) throw new Error('The media was not made in time', { cause: error });
      throw error;
    }
  };
  const begun = await inTime(making => beginMedia({ dir, known: request.inspection }, making), signal);
  const finish = async (until: AbortSignal) => {
    const made = await inTime(making => finishMedia(begun, making), until);
    const { durationSec } = made.inspection;
    if (durationSec > 0) mediaRatio(secondsSince(startedAt) / durationSec, {});
    // Retries when the disk may have been full, because the missing parts can be made once the disk has room.
    if (made.problem !== undefined && (await mayBeDisk())) throw new OutageError('The disk is full');
    return made;
  };
  return await storeMedia(begun, request, { objects, signal, finish });
}

/**
 * Returns a function that returns whether a full disk may have caused a failure: the disk was full at the start of the
 * job, or is full now.
 */
async function watchDisk(jobs: JobDirectories): Promise<() => Promise<boolean>> {
  const wasShort = await jobs.isShortOf(FULL_DISK_BYTES);
  return async () => wasShort || (await jobs.isShortOf(FULL_DISK_BYTES));
}

/** Returns the sentence for the owner; undefined when a retry may succeed. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof UnusableMediaError) return error.message;
  if (error instanceof DiskFullError) return NOT_PROCESSED;
  return error instanceof ObjectTooLargeError ? TOO_LARGE : undefined;
}

/**
 * Handles a missing upload. The submissions service deletes an upload after it has recorded the media. So a job without
 * an upload is a late repetition, or has nothing to process.
 */
async function onSourceGone({ objects, kafka }: ProcessClipDeps, request: MediaJob, log: Logger): Promise<void> {
  for await (const { key } of objects.list(videoPrefix(request.projectId, request.submissionId))) {
    log.info({ key }, 'The media is already recorded; the repeated job is dropped');
    return;
  }
  log.warn('The upload is missing and has no media; the job fails');
  await publishFailed(kafka, request, { reason: GONE, clipAtFault: false });
}

async function publishFailed(
  kafka: ProcessClipDeps['kafka'],
  { projectId, submissionId }: MediaJob,
  failure: { reason: string; clipAtFault: boolean },
): Promise<void> {
  const value = { projectId, submissionId, ...failure };
  await kafka.publish(newEvent('media.failed', { $case: 'mediaFailed', value })).catch(asOutage(NOT_PUBLISHED));
}
