import { hasExpired, type Term } from './link.ts';

/** The sums over one project's links of one type. */
export interface LinkSums {
  links: number;
  /** The sum of maxUses. */
  capacity: number;
  /** The sum of claimed + landed. */
  used: number;
  /** The sum of the remaining uses of all links that are not disabled. */
  open: number;
}

/** The sums of a project, by the type of its links. */
export interface ProjectSums {
  unique?: LinkSums | undefined;
  shared?: LinkSums | undefined;
}

export interface LinkStats {
  uniqueLinksTotal: number;
  uniqueLinksRemaining: number;
  sharedLinksTotal: number;
  sharedUsesRemaining: number;
  totalResponseCapacity: number;
  responseSlotsUsed: number;
  responseSlotsRemaining: number;
}

export const NO_LINKS: LinkSums = { links: 0, capacity: 0, used: 0, open: 0 };

/** Returns the link part of a project's stats. Links of an expired or closed project have capacity but nothing remaining. */
export function linkStats(unique: LinkSums, shared: LinkSums, term: Term, now: Date): LinkStats {
  const expired = hasExpired(term, now);
  const uniqueLinksRemaining = expired ? 0 : unique.open;
  const sharedUsesRemaining = expired ? 0 : shared.open;
  return {
    uniqueLinksTotal: unique.links,
    uniqueLinksRemaining,
    sharedLinksTotal: shared.links,
    sharedUsesRemaining,
    totalResponseCapacity: unique.capacity + shared.capacity,
    responseSlotsUsed: unique.used + shared.used,
    responseSlotsRemaining: uniqueLinksRemaining + sharedUsesRemaining,
  };
}
