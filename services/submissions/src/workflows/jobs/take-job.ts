import { AsyncLocalStorage } from 'node:async_hooks';
import { createBatcher } from '@recording-request/kit/batcher';
import type { Context } from '../../context.ts';
import type { JobKind, Submission } from '../../domain/clips/submission.ts';
import { nextOwner, type WaitingOwner } from '../../domain/jobs/job.ts';
import { type Claim, type GivingBack, onJobGivenBack, onJobTaken } from '../../domain/jobs/job-changes.ts';
import type { SubmissionKey } from '../../store/jobs.ts';

export type ClaimContext = Pick<Context, 'config' | 'log' | 'submissions' | 'jobs'>;

/** A worker that asks for a job. `again`: as a holder that has asked before and got no answer. */
export type Taker = Pick<Claim, 'kind' | 'holder'> & { again: boolean };

const TAKERS_MAX = 100;
// A call must end, also where very many jobs have failed and are only to be recorded as such.
const LOOKS_MAX = 100;

/**
 * Returns what begins the next job for a worker, and returns its submission, or undefined where no job is due: of the owner with
 * the fewest jobs that run, who has waited longest for a turn, the one that has been due longest. Workers that ask while others get theirs share the next look at the
 * queue, so that a herd of them costs one look and a write each. Another process may look at the same time; each job is begun once.
 */
export function createTakeJob(context: ClaimContext): (taker: Taker) => Promise<Submission | undefined> {
  // A worker that hangs up ends no other's call.
  const outside = AsyncLocalStorage.snapshot();
  // With few slots hardly anything runs at a look: owners take turns all the same. Each process knows those that it gave.
  const turns: LastTurns = { media: new Map(), transcript: new Map() };
  return createBatcher<Taker, Submission | undefined>({
    keyOf: ({ kind }) => kind,
    work: takers => outside(handOut, context, turns, takers),
    maxBatch: TAKERS_MAX,
  });
}

/** When each owner who waits had their last turn. */
type LastTurns = Record<JobKind, Map<string, Date>>;

async function handOut(context: ClaimContext, turns: LastTurns, takers: Taker[]): Promise<(Submission | undefined)[]> {
  const { jobs } = context;
  const { kind } = takers[0]!;
  const owners = await jobs.waitingOwners(kind);
  const waiting = owners.map(({ ownerId, dueAt }) => {
    const lastAt = turns[kind].get(ownerId);
    return { ownerId, since: lastAt && lastAt > dueAt ? lastAt : dueAt };
  });
  // Who does not wait now has no job that is due from before.
  const waits = new Set(owners.map(({ ownerId }) => ownerId));
  for (const ownerId of turns[kind].keys()) if (!waits.has(ownerId)) turns[kind].delete(ownerId);
  // Nothing is to be chosen among the jobs of one owner.
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

/** What is left of the queue at a look. */
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

/** Prolongs a claim, or notes that its result was published. Returns whether the worker had the claim. */
export const renewJob = (
  { config, jobs }: ClaimContext,
  key: SubmissionKey,
  { kind, holder }: Claim,
  reported: boolean,
): Promise<boolean> =>
  reported
    ? jobs.report(key, kind, holder, config.stuckSeconds * 1_000)
    : jobs.renew(key, kind, holder, limitsOf(config).leaseMs);

/** Ends a claim without a result: the job waits again, after a pause. */
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
    'A job was given back and will be tried again',
  );
}

export const limitsOf = ({ jobLeaseSeconds, mediaAsksMax }: Context['config']) => ({
  leaseMs: jobLeaseSeconds * 1_000,
  attemptsMax: mediaAsksMax,
});
