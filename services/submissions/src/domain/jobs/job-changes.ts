import type { Change, Job, JobKind, Submission } from '../clips/submission.ts';
import { jobRequested, onMediaFailed, onTranscriptEnded } from '../clips/submission-changes.ts';

const PAUSE_FIRST_MS = 5_000;
const PAUSE_MAX_MS = 10 * 60_000;
/** The longest pause that a worker may request. */
const PAUSE_ASKED_MAX_MS = 60 * 60_000;
const DAY_MS = 86_400_000;
// An outage that lasts longer counts as permanent, and the job fails.
const TROUBLE_MAX_DAYS = 7;

const TRIED: Record<JobKind, string> = {
  media: 'The clip could not be processed in several tries; the upload is kept as it came.',
  transcript: 'The transcript could not be made in several tries.',
};
const AWAY: Record<JobKind, string> = {
  media: `The clip could not be processed for ${TROUBLE_MAX_DAYS} days; the upload is kept as it came.`,
  transcript: `The transcript could not be made for ${TROUBLE_MAX_DAYS} days; ask for it again later.`,
};

const UPLOAD_GONE = 'The clip cannot be processed again: its upload is not kept.';

export interface AttemptLimits {
  /** A job that was started this often fails. */
  attemptsMax: number;
  leaseMs: number;
}

/** A worker's claim on the job of a submission. */
export interface Claim {
  kind: JobKind;
  /** The number of the transcript request; unused for media. */
  requestNumber: number;
  /**
   * The id of the worker's run. A repeated request with the same id belongs to the same run: the first response was
   * lost.
   */
  holder: string;
}

/**
 * Starts a due job and counts the attempt. Fails a job that was started too often. `isTaken`: the holder has the job,
 * either from now on or because it repeats a request whose response was lost.
 */
export function onJobTaken(
  submission: Submission,
  { kind, holder }: Pick<Claim, 'kind' | 'holder'>,
  { attemptsMax, leaseMs }: AttemptLimits,
  now: Date,
): { isTaken: boolean; change?: Change | undefined } {
  const { job } = submission;
  if (job?.kind !== kind) return { isTaken: false };
  const isRepeated = job.state === 'running' && job.holder === holder;
  if (!isRepeated && (job.state !== 'waiting' || job.dueAt > now)) return { isTaken: false };
  // Fails a job without its upload: it could never run, and would block the jobs behind it.
  if (kind === 'media' && !submission.source)
    return { isTaken: false, change: onMediaFailed(submission, UPLOAD_GONE, 'service') };
  if (!isRepeated && job.attempts >= attemptsMax) return { isTaken: false, change: failed(submission, TRIED[kind]) };
  const more = isRepeated ? 0 : 1;
  const begun: Job = {
    ...{ ...job, state: 'running', holder, dueAt: new Date(now.getTime() + leaseMs) },
    ...{ attempts: job.attempts + more, runs: (job.runs ?? 0) + more },
  };
  const set = { job: begun, ...(kind === 'transcript' ? { transcriptStatus: 'processing' as const } : {}) };
  return { isTaken: true, change: { set, events: [] } };
}

/** The end of a claim for which the worker has no result. */
export interface GivingBack {
  /** True if a server that the job needs is down. Then the attempt does not count. */
  uncounted: boolean;
  problem: string;
  /** The shortest pause, in milliseconds. */
  afterMs: number;
  /** True if the worker stops without a problem. Then another worker may start the job at once. */
  atOnce: boolean;
}

/** Ends the worker's claim. Returns undefined when the worker no longer holds the job. */
export function onJobGivenBack(
  submission: Submission,
  { kind, requestNumber, holder }: Claim,
  { uncounted, problem, afterMs, atOnce }: GivingBack,
  { attemptsMax }: Pick<AttemptLimits, 'attemptsMax'>,
  now: Date,
): Change | undefined {
  const { job } = submission;
  if (job?.kind !== kind || job.holder !== holder || isStale(submission, kind, requestNumber)) return undefined;
  const attempts = uncounted ? Math.max(0, job.attempts - 1) : job.attempts;
  if (attempts >= attemptsMax) return failed(submission, TRIED[kind]);
  const { holder: _, ...rest } = job;
  if (atOnce)
    return {
      set: pending(kind, { ...rest, attempts, state: 'waiting', dueAt: now }),
      events: [jobRequested(kind, submission)],
    };
  const troubledAt = job.troubledAt ?? now;
  if (now.getTime() - troubledAt.getTime() > TROUBLE_MAX_DAYS * DAY_MS) return failed(submission, AWAY[kind]);
  const givenBack = job.givenBack + 1;
  const pauseMs = Math.max(
    Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2 ** Math.min(givenBack - 1, 10)),
    Math.min(PAUSE_ASKED_MAX_MS, afterMs),
  );
  const dueAt = new Date(now.getTime() + pauseMs);
  return {
    set: pending(kind, { ...rest, attempts, state: 'waiting', dueAt, givenBack, troubledAt, problem }),
    events: [],
  };
}

/**
 * Makes a job wait again when its lease has expired or its result is overdue. Fails the job when it was started too
 * often. Returns undefined when the job is not overdue.
 */
export function onJobOverdue(
  submission: Submission,
  { attemptsMax }: Pick<AttemptLimits, 'attemptsMax'>,
  now: Date,
): Change | undefined {
  const { job } = submission;
  if (!job || job.state === 'waiting' || job.dueAt > now) return undefined;
  if (job.attempts >= attemptsMax) return failed(submission, TRIED[job.kind]);
  // The holder stays recorded. If it was only disconnected, its next renewal takes the job back, unless another worker
  // has started the job.
  const waiting: Job = { ...job, state: 'waiting', dueAt: now };
  return { set: pending(job.kind, waiting), events: [jobRequested(job.kind, submission)] };
}

// Counts as a fault of the service, because failed attempts do not show that the clip is at fault.
const failed = (submission: Submission, reason: string): Change | undefined =>
  submission.mediaStatus === 'processing'
    ? onMediaFailed(submission, reason, 'service')
    : onTranscriptEnded(submission, submission.transcriptRequest, { reason, fault: 'service' });

const isStale = (submission: Submission, kind: JobKind, requestNumber: number): boolean =>
  kind === 'transcript' && requestNumber < submission.transcriptRequest;

const pending = (kind: JobKind, job: Job): Partial<Submission> => ({
  job,
  ...(kind === 'transcript' ? { transcriptStatus: 'pending' as const } : {}),
});
