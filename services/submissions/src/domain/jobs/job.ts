import type { Inspection, Job, JobKind } from '../clips/submission.ts';

/** A job that a worker can take at once. */
export const newJob = (kind: JobKind, now: Date, inspection?: Inspection): Job => ({
  kind,
  state: 'waiting',
  since: now,
  dueAt: now,
  attempts: 0,
  givenBack: 0,
  ...(inspection ? { inspection } : {}),
});

/** An owner with work that is due. */
export interface WaitingOwner {
  ownerId: string;
  /** Since when they wait for a turn: since their oldest job was due, or since they had their last turn. */
  since: Date;
}

/** Returns whose job is next: of the owners with the fewest running, the one who has waited longest for a turn. */
export function nextOwner(waiting: WaitingOwner[], running: ReadonlyMap<string, number>): string | undefined {
  const count = ({ ownerId }: WaitingOwner) => running.get(ownerId) ?? 0;
  let best: WaitingOwner | undefined;
  for (const owner of waiting)
    if (!best || count(owner) < count(best) || (count(owner) === count(best) && owner.since < best.since)) best = owner;
  return best?.ownerId;
}
