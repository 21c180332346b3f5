import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import { withLease } from '@recording-request/kit-mongo/lease';
import { countOf, durationOf, secondsSince } from '@recording-request/kit-telemetry/metrics';
import { inSpan, partOrLink } from '@recording-request/kit-telemetry/span';
import { noteSubject } from '@recording-request/kit-telemetry/subject';
import type { Response } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../../context.ts';
import type { StoredPart, Submission } from '../../domain/clips/submission.ts';
import { landedEvents } from '../../domain/clips/submission-changes.ts';
import { sourceKey, submissionPrefix } from '../../domain/object-keys.ts';
import {
  ANSWERED,
  ERASED,
  type Finding,
  finalSentence,
  isBusy,
  isFault,
  isMissing,
  isNoVideo,
  judge,
  KEPT_SENTENCE,
  NO_VIDEO,
  problemOf,
  type Refusal,
  submissionOf,
} from '../../domain/uploads/landing.ts';
import {
  type Checksums,
  refusalWord,
  type Upload,
  type UploadKey,
  uploadHasFailed,
} from '../../domain/uploads/upload.ts';
import type { Landed, Landing } from '../../memory/landings-under-way.ts';
import { eraseIfProjectIs } from '../erasure/erased-projects.ts';
import { announceResponse } from './announce-response.ts';
import { forgetEnded } from './forget-ended.ts';
import {
  assemble,
  checksumsOf,
  expectAll,
  expectWhole,
  isDelivered,
  partList,
  removeUnlessHeld,
} from './upload-bytes.ts';

export type LandContext = Pick<
  Context,
  | 'config'
  | 'log'
  | 'landings'
  | 'uploads'
  | 'uploadChecksums'
  | 'submissions'
  | 'archives'
  | 'erasures'
  | 'deadLetters'
  | 'objects'
  | 'backupHold'
  | 'projects'
  | 'media'
>;

/** The response to the request that sent the last byte. */
export interface LandingAnswer {
  status: number;
  body: object;
}

// After this many failures, about ten minutes of retries, an operator should look at the upload.
const ALARMING_FAILURES = 8;
// A request to the store holds this many bytes while the next part is collected and joined.
const OBJECT_PART_BYTES = 10 * 1024 ** 2;
const COPIES = 3;

const countLanded = countOf('recording.uploads.landed');
const landingDuration = durationOf('recording.landing.duration');

/**
 * Lands an upload for the request that sent the last byte. Returns the result; returns 202 when the landing takes
 * longer than the client may wait, and the landing then continues.
 */
export async function finishUpload(context: LandContext, key: UploadKey): Promise<LandingAnswer> {
  const { config, log, landings, uploads, uploadChecksums } = context;
  const take: Take = async (...hold) =>
    (await uploads.finishAs(key, ...hold, uploadChecksums.readAll(key.id))) ?? uploads.takeWorker(key, ...hold);
  // The sweeper retries a failed landing, so the response says that the landing is in progress.
  const landing = landings
    .once(key.id, () => landUnderLease(context, key, (_, attempt) => attempt(), take))
    .catch(error => {
      log.debug({ err: error, uploadId: key.id }, 'A landing failed; the sweeper retries it');
      return undefined;
    });
  const landed = await landings.waitFor(landing, config.landingAnswerSeconds * 1_000);
  return landed ? answerOf(landed) : await answerFor(context, key);
}

/** Lands an upload now, unless another process is landing it. Fails when it must be retried. */
export function landUpload(context: LandContext, key: UploadKey): Landing {
  return context.landings.once(key.id, () => landUnderLease(context, key, (_, attempt) => attempt()));
}

/** Does the same as `landUpload`, in the trace of the request that sent the last byte or with a link to that trace. */
export const resumeLanding = (context: LandContext, key: UploadKey): Landing =>
  context.landings.once(key.id, () =>
    landUnderLease(context, key, (about, attempt) => {
      const { trace, failures = 0 } = about;
      const attributes = { 'recording.attempt': failures + 1 };
      return inSpan('resume landing', { about, cause: trace, as: partOrLink(failures), attributes }, attempt);
    }),
  );

/** Takes the lease of a landing. Returns undefined when another process has the lease. */
type Take = (workerId: string, leaseMs: number) => Promise<Upload | undefined>;

/**
 * Runs an attempt under the lease. Calls `within` around the attempt; does not call it when another process has the
 * lease.
 */
async function landUnderLease(
  context: LandContext,
  key: UploadKey,
  within: (about: Upload & { uploadId: string }, attempt: () => Landing) => Landing,
  take: Take = (...hold) => context.uploads.takeWorker(key, ...hold),
): Landing {
  const { config, uploads } = context;
  const workerId = uuidv7();
  const leaseMs = config.landingLeaseSeconds * 1_000;
  let lastsUntil = 0;
  // Computes the end of the lease on this process's monotonic clock, from a time before the request to the database. So
  // the computed end is never later than the end in the database.
  const prolonging = async <T>(held: Promise<T>): Promise<T> => {
    const until = performance.now() + leaseMs;
    const result = await held;
    if (result) lastsUntil = until;
    return result;
  };
  const renew: Hold['renew'] = checksums => prolonging(uploads.renewWorker(key, workerId, leaseMs, checksums));
  let hasEnded = false;
  const lease = {
    take: () => prolonging(take(workerId, leaseMs)),
    renew: () => renew(),
    // The write of the upload's final state has already released the lease.
    release: async () => (hasEnded ? undefined : await uploads.releaseWorker(key, workerId)),
    renewMs: leaseMs / 3,
  };
  return await withLease(lease, async upload => {
    const landed = await within({ ...upload, uploadId: key.id }, () =>
      attemptToLand(context, upload, { workerId, renew, lasts: () => performance.now() < lastsUntil }),
    );
    hasEnded = true;
    return landed;
  });
}

/** Runs one attempt. Resolves when the upload has ended or another process has it. Fails when it must be retried. */
async function attemptToLand(context: LandContext, upload: Upload, hold: Hold): Landing {
  const { config, log, uploads } = context;
  const startedAt = performance.now();
  const ended = (end: string) => {
    countLanded({ 'recording.end': end });
    landingDuration(secondsSince(startedAt), { 'recording.end': end });
  };
  const { id: uploadId, ownerId, projectId, submissionId } = upload;
  const about = { uploadId, submissionId, projectId, ownerId };
  // The current request sent the last byte or resumes the upload's landing, so its log line gets these ids.
  noteSubject(about);
  try {
    const { end, landed } = await inSpan('land', { about }, async span => {
      const reached = await land(context, upload, hold);
      span.set({ 'recording.end': reached.end });
      return reached;
    });
    ended(end);
    log.info({ ...about, end }, end === 'lost' ? 'A landing was taken over by another process' : 'An upload has ended');
    return landed;
  } catch (error) {
    const { failures, faults } = await uploads.failed(upload, isFault(error), problemOf(error));
    const sentence = finalSentence(error) ?? (faults >= config.landingFaultsMax ? KEPT_SENTENCE : undefined);
    if (sentence !== undefined && (await endAsFailed(context, upload, hold.workerId, sentence))) {
      ended('failed');
      log.error({ err: error, ...about, failures }, 'An upload could not land; its bytes are kept until its hold ends');
      return undefined;
    }
    ended('retried');
    const level = failures >= ALARMING_FAILURES ? 'error' : 'warn';
    log[level]({ err: error, ...about, failures }, 'A landing failed; it is retried after a pause');
    throw error;
  }
}

/** Ends an upload that can never land. Returns false if another process has landed it or has its lease. */
async function endAsFailed(context: LandContext, upload: Upload, workerId: string, sentence: string): Promise<boolean> {
  return !(await isDelivered(context, upload)) && (await context.uploads.fail(upload, workerId, sentence));
}

/** The result of an attempt. `lost`: another process has taken the landing over. */
type Reached = { end: 'landed'; landed: Landed } | { end: 'refused' | 'lost'; landed?: undefined };

/** The lease of this process on a landing. */
interface Hold {
  workerId: string;
  /**
   * Renews the lease; also stores the checksums of the whole upload, if given. Returns false when another process has
   * the lease or the landing has ended.
   */
  renew(checksums?: Checksums): Promise<boolean>;
  /** Returns whether the lease is still valid. */
  lasts(): boolean;
}

/**
 * Turns a `finishing` upload into a submission, or refuses it. Can be stopped at any line and repeated with the same
 * result, because it finds the steps that another process has done and does not repeat them.
 */
async function land(context: LandContext, upload: Upload, hold: Hold): Promise<Reached> {
  const { config, uploads, uploadChecksums, projects } = context;
  if (isNoVideo(upload)) return await refuse(context, upload, hold, NO_VIDEO);
  const submissionId = upload.submissionId!;
  const responseKey = { linkId: upload.linkId, responseSessionId: upload.responseId };
  const asking = projects.getResponse(responseKey);
  // A failure is handled below. This handler prevents an unhandled rejection when something else fails first.
  asking.catch(() => {});

  const key = sourceKey(upload.projectId, submissionId);
  const { sha256, crc32 } = upload;
  // The request with the last byte or an earlier attempt has stored the checksums, so all bytes are in the store.
  const isNoted = sha256 !== undefined;
  const parts = upload.isPaged ? undefined : (upload.parts ?? (await partList(context, upload)));
  const checksums = isNoted
    ? { sha256, crc32: crc32! }
    : await checksumsOrWhole(context, upload, parts ? undefined : key);
  const renewed = async () => {
    if (isNoted) return hold.lasts() || (await hold.renew());
    if (parts) expectAll(upload, parts);
    else await expectWhole(context.objects, upload, key);
    return await hold.renew(checksums);
  };
  const unneeded = new AbortController();
  const inspecting = inspect(context, upload, { key, parts }, unneeded.signal);
  // A failure is handled below. This handler prevents an unhandled rejection when something else fails first.
  inspecting.catch(() => {});
  let isHeld = false;
  try {
    isHeld = await renewed();
  } finally {
    // Stops the inspection, because the next attempt inspects the clip itself.
    if (!isHeld) unneeded.abort();
  }
  const finding = await inspecting;

  // Checks the lease again: a process that paused until after its lease must not deliver an upload that another process
  // has refused.
  if (!isHeld || !(hold.lasts() || (await hold.renew()))) {
    if (!isNoted && !parts) await removeUnneeded(context, upload, key);
    return { end: 'lost' };
  }
  uploadChecksums.forget(upload.id);
  const response = (await asking).response!;
  const verdict = judge(finding, response, submissionId, config.durationGraceSeconds);
  if ('refusal' in verdict) return await refuse(context, upload, hold, verdict.refusal);

  const { questionIndex } = upload;
  const answered = await projects.landClip({ ...responseKey, questionIndex, submissionId });
  if (!answered.landed) return await refuse(context, upload, hold, ANSWERED);

  const submission = submissionOf(upload, response, { ...checksums, parts }, verdict.inspection);
  const isStored = await context.submissions.land(submission, landedEvents(submission));
  await announceResponse(context, submission);
  if (await isErased(context, submission, isStored)) return await refuse(context, upload, hold, ERASED);

  await uploads.land(upload);
  return { end: 'landed', landed: { upload, response: { ...response, complete: answered.complete } } };
}

/** Returns the checksums of the whole upload. If `key` is given, joins the upload's many parts into one object. */
async function checksumsOrWhole(context: LandContext, upload: Upload, key: string | undefined): Promise<Checksums> {
  const { landings, uploadChecksums } = context;
  const known = uploadChecksums.read(upload.id, upload.offset);
  if (known && key === undefined) return known;
  const bytes = Math.min(upload.offset, OBJECT_PART_BYTES) * COPIES;
  return await landings.withMemory({ ownerId: upload.ownerId, bytes }, () =>
    key === undefined ? checksumsOf(context, upload) : assemble(context, upload, key),
  );
}

/** Removes the joined object of an upload that has ended, because no later attempt removes it. */
async function removeUnneeded(
  { uploads, submissions, objects }: LandContext,
  upload: Upload,
  key: string,
): Promise<void> {
  const now = await uploads.find(upload);
  // Keeps the object if another process lands the upload, now or after a retry: that process needs or removes it.
  if (now?.state === 'finishing' || (now && uploadHasFailed(now))) return;
  const submission = await submissions.findObjects(upload.ownerId, upload.projectId, upload.submissionId!);
  if (![submission?.source?.key, submission?.video?.key].includes(key)) await objects.remove([key]);
}

/**
 * Inspects an upload. Rejects when the media service has no free slot. The landing is then retried, because a sender
 * must not avoid the inspection by filling the queue. Ignore the result after the signal has aborted.
 */
async function inspect(
  context: LandContext,
  upload: Upload,
  { key, parts }: { key: string; parts: StoredPart[] | undefined },
  signal: AbortSignal,
): Promise<Finding> {
  const { config, log, media } = context;
  try {
    // The media service uses up to half of this time to wait for a slot.
    const limits = { deadlineMs: 2 * config.inspectSeconds * 1_000, signal };
    const { ownerId, linkId } = upload;
    const { inspection } = await media.inspect({ objectKey: key, ownerId, linkId, parts: parts && { parts } }, limits);
    return { inspection };
  } catch (error) {
    if (signal.aborted) return { inspection: undefined };
    if (error instanceof DomainError && error.code === 'unprocessable') return { notVideo: error.message };
    if (isBusy(error)) throw error;
    // Missing bytes are not a fault if another attempt has delivered the upload: then the media may already exist, and
    // the bytes are removed.
    if (isMissing(error) && !(await isDelivered(context, upload)))
      throw new Error('the store does not have every byte of an upload', { cause: error });
    const { id: uploadId, projectId, submissionId } = upload;
    log.warn({ err: error, uploadId, submissionId, projectId }, 'An inspection failed; the clip lands without it');
    return { inspection: undefined };
  }
}

/** Returns whether the submission was erased before or while it was stored. If it was, removes the rest of it. */
async function isErased(context: LandContext, submission: Submission, isStored: boolean): Promise<boolean> {
  if (isStored) return await eraseIfProjectIs(context, submission);
  // Removes the objects even when another process has taken the upload over, because nothing of an erased submission
  // may stay.
  await context.objects.purge(submissionPrefix(submission.projectId, submission.id));
  return true;
}

/**
 * Refuses an upload. Changes the state first. Removes the bytes only if this process changed the state, because another
 * process may have delivered them.
 */
async function refuse(
  context: LandContext,
  upload: Upload,
  { workerId }: Hold,
  { reason, error }: Refusal,
): Promise<Reached> {
  if (!(await context.uploads.refuse(upload, workerId, reason, error))) return { end: 'lost' };
  await removeUnlessHeld(context, upload);
  await forgetEnded(context, upload);
  return { end: 'refused' };
}

/** Returns the response about an upload that another process lands, with the upload's current state. */
async function answerFor({ uploads, projects }: LandContext, key: UploadKey): Promise<LandingAnswer> {
  const upload = await uploads.find(key);
  if (upload?.state === 'refused')
    throw new DomainError(upload.superseded ? 'gone' : 'unprocessable', upload.error ?? 'This take was refused.', {
      reason: refusalWord(upload),
    });
  if (!upload || upload.state === 'deleted') throw new DomainError('gone', 'This take was removed.');
  if (upload.state !== 'landed') return { status: 202, body: { state: 'finishing' } };
  const { response } = await projects.getResponse({ linkId: upload.linkId, responseSessionId: upload.responseId });
  return answerOf({ upload, response });
}

function answerOf({ upload, response }: { upload: Upload; response: Response | undefined }): LandingAnswer {
  const interview = (response?.settings?.interviewQuestions.length ?? 0) > 0;
  return {
    status: 200,
    body: {
      submissionId: upload.submissionId,
      responseSessionId: upload.responseId,
      questionIndex: interview ? upload.questionIndex : null,
      complete: response?.complete ?? false,
      // Relative to the upload's address /r/<token>/uploads/<id>, because this service does not know the token.
      thankYouUrl: interview && response?.complete ? '../thank-you' : null,
    },
  };
}
