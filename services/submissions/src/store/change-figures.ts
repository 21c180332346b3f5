import { countOf, durationOf } from '@recording-request/kit-telemetry/metrics';
import type { Change, Submission, SubmissionEvent } from '../domain/clips/submission.ts';

const mediaDelay = durationOf('recording.media.delay');
const transcriptDelay = durationOf('recording.transcript.delay');
const countJob = countOf('recording.jobs.created');
const countFailed = countOf('recording.clips.failed');
// Creates each series with the value 0, because rates ignore the first value of a series.
for (const step of ['media', 'transcript'])
  for (const fault of ['clip', 'service']) countFailed({ 'recording.step': step, 'recording.fault': fault }, 0);

const sinceLanding = ({ createdAt }: Submission): number => Math.max(0, Date.now() - createdAt.getTime()) / 1_000;

/** Counts the job that a landing creates. */
export function noteLanded({ job }: Pick<Submission, 'job'>): void {
  if (job) countJob({ 'recording.job.kind': job.kind });
}

/**
 * Counts the results and jobs of a change. Call this only after a successful write, so that each result and job is
 * counted once.
 */
export function noteChange(before: Submission, { set, events, fault }: Change): void {
  for (const { type } of events) noteEnd(type, { ...before, ...set }, fault);
  const step = events.some(({ type }) => type === 'submission.media.failed') ? 'media' : 'transcript';
  if (fault) countFailed({ 'recording.step': step, 'recording.fault': fault });
  const { job } = set;
  // When a job continues, its `since` stays the same.
  if (job && (job.kind !== before.job?.kind || job.since.getTime() !== before.job.since.getTime()))
    countJob({ 'recording.job.kind': job.kind });
}

function noteEnd(type: SubmissionEvent['type'], after: Submission, fault: Change['fault']): void {
  const failed = { 'recording.outcome': fault === 'clip' ? 'unusable' : 'failed' };
  if (type === 'submission.media.completed') mediaDelay(sinceLanding(after), { 'recording.outcome': 'ok' });
  if (type === 'submission.media.failed') mediaDelay(sinceLanding(after), failed);
  // Does not measure the result of a repeated request, because the time from the landing to this result depends on the
  // user.
  if (after.transcriptRequest > 1) return;
  if (type === 'submission.transcript.completed') transcriptDelay(sinceLanding(after), { 'recording.outcome': 'ok' });
  if (type === 'submission.transcript.failed') transcriptDelay(sinceLanding(after), failed);
}
