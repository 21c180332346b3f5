import type { Context } from '../../context.ts';
import type { SubmissionEvent } from '../../domain/clips/submission.ts';
import {
  type Claim,
  type GivingBack,
  onJobBegun,
  onJobGivenBack,
  onJobTaken,
  type Verdict,
} from '../../domain/jobs/job-changes.ts';
import type { SubmissionKey } from '../../store/jobs.ts';
import { limitsOf } from './dispatch-jobs.ts';

export type ClaimContext = Pick<Context, 'config' | 'log' | 'submissions' | 'jobs'>;

/** Claims a job for a worker. `drop` where the submission is gone, or has no such job. */
export async function beginJob({ config, submissions, jobs }: ClaimContext, key: SubmissionKey, claim: Claim) {
  const now = await jobs.now();
  let verdict: Verdict = 'drop';
  await submissions.change(key, submission => {
    const begun = onJobBegun(submission, claim, limitsOf(config), now);
    verdict = begun.verdict;
    return begun.change;
  });
  return verdict as Verdict;
}

// Long enough for a request to reach its worker.
const TAKEN_AFTER_MS = 2_000;
const TAKEN_FROM = 8;

/** Begins a job whose request waits at another worker, and returns the request; undefined when there is none. */
export async function takeJob(
  { config, submissions, jobs }: ClaimContext,
  taker: Pick<Claim, 'kind' | 'holder'>,
): Promise<SubmissionEvent | undefined> {
  const now = await jobs.now();
  const limits = limitsOf(config);
  const before = new Date(now.getTime() - Math.min(TAKEN_AFTER_MS, limits.stuckMs / 2));
  for (const key of await jobs.publishedBefore(taker.kind, before, TAKEN_FROM)) {
    let request: SubmissionEvent | undefined;
    await submissions.change(key, submission => {
      const taken = onJobTaken(submission, taker, limits, now);
      request = taken.request;
      return taken.change;
    });
    if (request) return request;
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
  reported ? jobs.report(key, kind, holder) : jobs.renew(key, kind, holder, limitsOf(config).leaseMs);

/** Ends a claim without a result: the job is published again later. */
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
