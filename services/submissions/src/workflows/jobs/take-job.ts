import { AsyncLocalStorage } from 'node:async_hooks';
import { createBatcher } from '@recording-request/kit/batcher';
import type { Context } from '../../context.ts';
import type { JobKind, Submission } from '../../domain/clips/submission.ts';
import { nextOwner, type WaitingOwner } from '../../domain/jobs/job.ts';
import { type Claim, type GivingBack, onJobGivenBack, onJobTaken } from '../../domain/jobs/job-changes.ts';
import type { SubmissionKey } from '../../store/jobs.ts';

export type ClaimContext = Pick<Context, 'config' | 'log' | 'submissions' | 'jobs'>;

/** A worker that requests a job. `again` is true if it repeats a request that got no response. */
export type Taker = Pick<Claim, 'kind' | 'holder'> & { again: boolean };

const TAKERS_MAX = 100;
// The maximum number of tries in one call. A try may only record a job as failed, or find that an owner has no job
// left.
const LOOKS_MAX = 100;

/**
 * Returns a function that starts the next job for a worker. It returns the job's submission, or undefined when no job
 * is due.
 *
 * It chooses the owner with the fewest running jobs; among several such owners, the owner who has waited longest. Then
 * it chooses this owner's job that has been due longest.
 *
 * Concurrent requests share one read of the queue, so many workers cost one query and a write each. Other processes may
 * read the queue at the same time; each job is still started only once.
 */
export function createTakeJob(context: ClaimContext): (taker: Taker) => Promise<Submission | undefined> {
  // The batch runs outside the first worker's request, so that the cancellation of this request does not fail the
  // others.
  const outside = AsyncLocalStorage.snapshot();
  // The times of the owners' last turns keep the order fair. The running jobs do not show the next owner: with few
  // slots, hardly any job runs when a worker asks. Each process knows only the turns of the jobs that it handed out.
  const turns: LastTurns = { media: new Map(), transcript: new Map() };
  return createBatcher<Taker, Submission | undefined>({
    keyOf: ({ kind }) => kind,
    work: takers => outside(handOut, context, turns, takers),
    maxBatch: TAKERS_MAX,
  });
}

/** When each waiting owner had the last turn. */
type LastTurns = Record<JobKind, Map<string, Date>>;

async function handOut(context: ClaimContext, turns: LastTurns, takers: Taker[]): Promise<(Submission | undefined)[]> {
  const { jobs } = context;
  const { kind } = takers[0]!;
  const owners = await jobs.waitingOwners(kind);
  const waiting = owners.map(({ ownerId, dueAt }) => {
    const lastAt = turns[kind].get(ownerId);
    return { ownerId, since: lastAt && lastAt > dueAt ? lastAt : dueAt };
  });
  // An owner who has no waiting job needs no last turn.
  const waits = new Set(owners.map(({ ownerId }) => ownerId));
  for (const ownerId of turns[kind].keys()) if (!waits.has(ownerId)) turns[kind].delete(ownerId);
  // With one owner there is no choice to make.
  const running = waiting.length > 1 ? await jobs.runningByOwner(kind) : new Map<string, number>();
  const taken: (Submission | undefined)[] = [];
  const queue = { now: owners[0]?.now ?? new Date(0), waiting, running, turns: turns[kind] };
  for (const taker of takers)
    taken.push((await takenBefore(context, taker)) ?? (await takeNext(context, taker, queue)));
  return taken;
}

async function takenBefore({ config, submissions, jobs }: ClaimContext, taker: Taker): Promise<Submission | undefined> {
  const key = taker.again ? await jobs.heldBy(taker.kind, taker.holder) : undefined;
  if (!key) return undefined;
  const now = await jobs.now();
  let isTaken = false;
  const after = await submissions.change(key, submission => {
    const begun = onJobTaken(submission, taker, limitsOf(config), now);
    isTaken = begun.isTaken;
    return begun.change;
  });
  return isTaken ? after : undefined;
}

/** The queue as it was read, updated with the jobs that were started since. */
interface Queue {
  now: Date;
  waiting: WaitingOwner[];
  running: Map<string, number>;
  turns: Map<string, Date>;
}

async function takeNext(
  { config, submissions }: ClaimContext,
  taker: Taker,
  queue: Queue,
): Promise<Submission | undefined> {
  const { kind } = taker;
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const ownerId = nextOwner(queue.waiting, queue.running);
    if (ownerId === undefined) return undefined;
    const { now } = queue;
    let isTaken = false;
    const after = await submissions.changeNext({ ownerId, kind, now }, submission => {
      const begun = onJobTaken(submission, taker, limitsOf(config), now);
      isTaken = begun.isTaken;
      return begun.change;
    });
    if (isTaken) {
      queue.running.set(ownerId, (queue.running.get(ownerId) ?? 0) + 1);
      queue.turns.set(ownerId, now);
      return after;
    }
    if (!after) queue.waiting = queue.waiting.filter(owner => owner.ownerId !== ownerId);
  }
  return undefined;
}

/** Renews a claim, or records that its result was published. Returns whether the worker still had the claim. */
export const renewJob = (
  { config, jobs }: ClaimContext,
  key: SubmissionKey,
  { kind, holder }: Claim,
  reported: boolean,
): Promise<boolean> =>
  reported
    ? jobs.report(key, kind, holder, config.stuckSeconds * 1_000)
    : jobs.renew(key, kind, holder, limitsOf(config).leaseMs);

/** Ends a claim that has no result. The job waits again, after a pause. */
export async function giveBackJob(
  { config, log, submissions, jobs }: ClaimContext,
  key: SubmissionKey,
  claim: Claim,
  giving: GivingBack,
): Promise<void> {
  const now = await jobs.now();
  const after = await submissions.change(key, submission =>
    onJobGivenBack(submission, claim, giving, limitsOf(config), now),
  );
  if (giving.atOnce || !after?.job) return;
  const { givenBack, dueAt } = after.job;
  log.warn(
    { ...key, kind: claim.kind, problem: giving.problem, givenBack, dueAt },
    'A worker returned a job; it is retried after a pause',
  );
}

export const limitsOf = ({ jobLeaseSeconds, mediaAsksMax }: Context['config']) => ({
  leaseMs: jobLeaseSeconds * 1_000,
  attemptsMax: mediaAsksMax,
});
