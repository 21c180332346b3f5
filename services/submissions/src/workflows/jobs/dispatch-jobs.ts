import { withLease } from '@recording-request/kit-mongo/lease';
import { inSpan, partOrLink, runningTrace } from '@recording-request/kit-telemetry/span';
import type { Context } from '../../context.ts';
import { JOB_KINDS, type JobKind, type Submission } from '../../domain/clips/submission.ts';
import { isOverdue, nextOwner } from '../../domain/jobs/job.ts';
import { onJobOverdue, onJobPublished } from '../../domain/jobs/job-changes.ts';
import type { WaitingJob } from '../../store/jobs.ts';
import { eachInTurn } from '../each-in-turn.ts';

export type DispatchContext = Pick<Context, 'config' | 'submissions' | 'jobs' | 'dispatchLease' | 'dispatcher'>;

const BATCH = 100;
// Another process is at it, and may have counted before this one's jobs were written.
const AGAIN_MS = 200;

/**
 * Publishes jobs that wait, as far as there is room: so few are in flight that none waits long for a worker, and who
 * comes next is decided here, by owner. Every replica runs it, one at a time, and every turn can be repeated.
 */
export async function dispatchJobs(context: DispatchContext): Promise<void> {
  const done = await withLease(context.dispatchLease, async () => {
    const now = await context.jobs.now();
    // Each kind has its own places.
    await eachInTurn(JOB_KINDS, kind => dispatch(context, kind, now), { atOnce: JOB_KINDS.length });
    return true;
  });
  if (!done) context.dispatcher.wakeIn(AGAIN_MS);
}

async function dispatch(context: DispatchContext, kind: JobKind, now: Date): Promise<void> {
  const { config, submissions, jobs } = context;
  const limits = limitsOf(config);
  const inFlight = new Map<string, number>();
  let free = config.dispatchInFlight;
  const [published, owners] = await Promise.all([jobs.inFlight(kind), jobs.waitingOwners(kind)]);
  for (const { ownerId, job, ...key } of published) {
    if (isOverdue(job, now, limits)) {
      await submissions.change(key, submission => onJobOverdue(submission, limits, now));
      continue;
    }
    free -= 1;
    inFlight.set(ownerId, (inFlight.get(ownerId) ?? 0) + 1);
  }
  if (free <= 0) return;
  let waiting = owners;
  for (let looks = free + BATCH; free > 0 && looks > 0; looks -= 1) {
    const ownerId = nextOwner(waiting, inFlight, now);
    if (ownerId === undefined) return;
    const next = await jobs.nextOf(ownerId, kind, now);
    if (!next) {
      waiting = waiting.filter(owner => owner.ownerId !== ownerId);
      continue;
    }
    const after = await publish(context, kind, next, now);
    // One that ended meanwhile takes nobody's place.
    if (after?.job?.state !== 'published') continue;
    inFlight.set(ownerId, (inFlight.get(ownerId) ?? 0) + 1);
    free -= 1;
  }
}

/** The first publications are parts of the trace that asked for the job, later ones traces of their own. All lead to the trace of the clip. */
function publish(
  { submissions }: DispatchContext,
  kind: JobKind,
  { job, trace, ...key }: WaitingJob,
  now: Date,
): Promise<Submission | undefined> {
  const { dispatches = 0 } = job;
  const attributes = { 'recording.job.kind': kind, 'recording.attempt': dispatches + 1 };
  const relation = { cause: job.trace, as: partOrLink(dispatches), also: trace };
  return inSpan('dispatch job', { about: key, ...relation, attributes }, () => {
    const running = runningTrace();
    return submissions.change(key, submission =>
      onJobPublished(submission, now, running.traceparent === '' ? undefined : running),
    );
  });
}

export const limitsOf = ({ stuckSeconds, jobLeaseSeconds, mediaAsksMax }: Context['config']) => ({
  stuckMs: stuckSeconds * 1_000,
  leaseMs: jobLeaseSeconds * 1_000,
  attemptsMax: mediaAsksMax,
});
