import type { Inspection, Job, JobKind } from '../clips/submission.ts';

/** Returns a job that a worker can take at once. */
export const newJob = (kind: JobKind, now: Date, inspection?: Inspection): Job => ({
  kind,
  state: 'waiting',
  since: now,
  dueAt: now,
  attempts: 0,
  givenBack: 0,
  ...(inspection ? { inspection } : {}),
});

/** An owner who has due work. */
export interface WaitingOwner {
  ownerId: string;
  /** When the owner's wait for a turn began: when the oldest job became due, or at the owner's last turn. */
  since: Date;
}

/**
 * Returns the owner of the next job: the owner with the fewest running jobs. If there are several, the one who has
 * waited longest.
 */
export function nextOwner(waiting: WaitingOwner[], running: ReadonlyMap<string, number>): string | undefined {
  const count = ({ ownerId }: WaitingOwner) => running.get(ownerId) ?? 0;
  let best: WaitingOwner | undefined;
  for (const owner of waiting)
    if (!best || count(owner) < count(best) || (count(owner) === count(best) && owner.since < best.since)) best = owner;
  return best?.ownerId;
}
