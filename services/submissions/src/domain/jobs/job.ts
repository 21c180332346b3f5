import type { Inspection, Job, JobKind } from '../clips/submission.ts';

/** A job that can be published at once. */
export const newJob = (kind: JobKind, now: Date, inspection?: Inspection): Job => ({
  kind,
  state: 'waiting',
  since: now,
  dueAt: now,
  attempts: 0,
  givenBack: 0,
  ...(inspection ? { inspection } : {}),
});

export interface InFlightLimits {
  /** How long after it was published a request that no worker has begun is published again. */
  stuckMs: number;
  leaseMs: number;
}

/** Whether a published job was not begun in time, or its worker has not renewed its claim for two leases. */
export function isOverdue(job: Job, now: Date, { stuckMs, leaseMs }: InFlightLimits): boolean {
  if (job.state === 'waiting') return false;
  if (job.state === 'running' && job.leaseUntil) return now.getTime() > job.leaseUntil.getTime() + leaseMs;
  return now.getTime() > (job.publishedAt ?? job.since).getTime() + stuckMs;
}

/** An owner with work that waits, and when their oldest job is due. */
export interface WaitingOwner {
  ownerId: string;
  dueAt: Date;
}

/** Returns whose job is next: of the owners with the fewest in flight, the one whose job has waited longest. */
export function nextOwner(
  waiting: WaitingOwner[],
  inFlight: ReadonlyMap<string, number>,
  now: Date,
): string | undefined {
  const count = ({ ownerId }: WaitingOwner) => inFlight.get(ownerId) ?? 0;
  let best: WaitingOwner | undefined;
  for (const owner of waiting) {
    if (owner.dueAt > now) continue;
    if (!best || count(owner) < count(best) || (count(owner) === count(best) && owner.dueAt < best.dueAt)) best = owner;
  }
  return best?.ownerId;
}
