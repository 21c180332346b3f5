import type { Change, Job, JobKind, Submission, SubmissionEvent, Trace } from '../clips/submission.ts';
import { onMediaFailed, onTranscriptEnded } from '../clips/submission-changes.ts';
import { type InFlightLimits, isOverdue } from './job.ts';

const PAUSE_FIRST_MS = 5_000;
const PAUSE_MAX_MS = 10 * 60_000;
/** The longest pause that a worker may ask for. */
const PAUSE_ASKED_MAX_MS = 60 * 60_000;
const DAY_MS = 86_400_000;
// What is away for longer is not an outage any more, but a service that does not exist.
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
  /** How often a job is begun before it fails. */
  attemptsMax: number;
  leaseMs: number;
}

/** A worker's claim on the job of a submission. */
export interface Claim {
  kind: JobKind;
  /** That of the request, for a transcript. */
  requestNumber: number;
  /** The run of the job: the same again is the same run, whose answer was lost. */
  holder: string;
}

export type Verdict = 'go' | 'drop' | { laterMs: number };

/** Publishes the request of a job that waits and is due, in `trace` or else that of what asked for it. Undefined when there is none. */
export function onJobPublished(submission: Submission, now: Date, trace?: Trace): Change | undefined {
  const { job } = submission;
  if (job?.state !== 'waiting' || job.dueAt > now) return undefined;
  // Else it would wait for ever, and all others behind it.
  if (job.kind === 'media' && !submission.source) return onMediaFailed(submission, UPLOAD_GONE);
  const traced = trace ? { trace } : {};
  const dispatches = (job.dispatches ?? 0) + 1;
  const published: Job = { ...job, ...traced, state: 'published', publishedAt: now, dispatches };
  return { set: { job: published }, events: [requestOf(submission, published)] };
}

function requestOf(submission: Submission, { kind, attempts, inspection, trace }: Job): SubmissionEvent {
  if (kind === 'transcript') {
    const requestNumber = submission.transcriptRequest;
    return { type: 'submission.transcript.requested', submission, requestNumber, trace };
  }
  // Not believed twice: a job that has failed once looks at the bytes itself.
  return { type: 'submission.media.requested', submission, inspection: attempts === 0 ? inspection : undefined, trace };
}

/** Begins a published job for a worker that did not get its request. Undefined where another one has begun it. */
export function onJobTaken(
  submission: Submission,
  { kind, holder }: Pick<Claim, 'kind' | 'holder'>,
  limits: AttemptLimits,
  now: Date,
): { request?: SubmissionEvent; change?: Change | undefined } {
  const { job } = submission;
  if (job?.kind !== kind || job.state !== 'published') return {};
  const claim = { kind, requestNumber: submission.transcriptRequest, holder };
  const { verdict, change } = onJobBegun(submission, claim, limits, now);
  return verdict === 'go' ? { request: requestOf(submission, job), change } : { change };
}

/** Decides whether a worker may begin, and counts the attempt. A job that was begun too often fails. */
export function onJobBegun(
  submission: Submission,
  { kind, requestNumber, holder }: Claim,
  { attemptsMax, leaseMs }: AttemptLimits,
  now: Date,
): { verdict: Verdict; change?: Change | undefined } {
  const { job } = submission;
  if (job?.kind !== kind || isStale(submission, kind, requestNumber)) return { verdict: 'drop' };
  if (job.state === 'running' && job.holder !== holder && job.leaseUntil && job.leaseUntil > now)
    return { verdict: { laterMs: job.leaseUntil.getTime() - now.getTime() } };
  // Given back, or done: the dispatcher publishes it again when its pause has ended, or the result does not come.
  if (job.state === 'reported' || (job.state === 'waiting' && job.dueAt > now)) return { verdict: 'drop' };
  // Whose answer was lost: a holder is of one run, and was counted.
  const isRepeated = job.holder === holder;
  if (!isRepeated && job.attempts >= attemptsMax) return { verdict: 'drop', change: failed(submission, TRIED[kind]) };
  const attempts = job.attempts + (isRepeated ? 0 : 1);
  const leaseUntil = new Date(now.getTime() + leaseMs);
  const begun: Job = { ...job, state: 'running', attempts, holder, leaseUntil };
  const set = { job: begun, ...(kind === 'transcript' ? { transcriptStatus: 'processing' as const } : {}) };
  return { verdict: 'go', change: { set, events: [] } };
}

/** How a worker ends its claim without a result. */
export interface GivingBack {
  /** What the job needs is away: the attempt does not count. */
  uncounted: boolean;
  problem: string;
  /** The shortest pause. */
  afterMs: number;
  /** The worker stops: its request goes to another one, and there is no problem. */
  atOnce: boolean;
}

/** Undefined where the worker has no claim any more. */
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
  const { holder: _, leaseUntil: __, ...rest } = job;
  if (atOnce) return { set: pending(kind, { ...rest, attempts, state: 'published', publishedAt: now }), events: [] };
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

/** A job in flight without a result in time waits again, or fails when it was begun too often. Undefined when it has time left. */
export function onJobOverdue(
  submission: Submission,
  { attemptsMax, ...limits }: InFlightLimits & AttemptLimits,
  now: Date,
): Change | undefined {
  const { job } = submission;
  if (!job || !isOverdue(job, now, limits)) return undefined;
  if (job.attempts >= attemptsMax) return failed(submission, TRIED[job.kind]);
  // The holder stays: should it only have been cut off, its next renewal finds that nobody else has begun.
  return { set: pending(job.kind, { ...job, state: 'waiting', dueAt: now }), events: [] };
}

const failed = (submission: Submission, reason: string): Change | undefined =>
  submission.mediaStatus === 'processing'
    ? onMediaFailed(submission, reason)
    : onTranscriptEnded(submission, submission.transcriptRequest, { reason });

const isStale = (submission: Submission, kind: JobKind, requestNumber: number): boolean =>
  kind === 'transcript' && requestNumber < submission.transcriptRequest;

const pending = (kind: JobKind, job: Job): Partial<Submission> => ({
  job,
  ...(kind === 'transcript' ? { transcriptStatus: 'pending' as const } : {}),
});
