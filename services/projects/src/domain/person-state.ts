import type { Link } from './link.ts';

/** The progress of the person of a unique link. */
export type PersonState = 'invited' | 'opened' | 'recording' | 'sent' | 'closed';

/**
 * Returns the first state that applies, in this order: sent, recording, closed, opened, invited. The service computes
 * the state each time and never stores it. `ended`: whether the links of the project accept no new claims.
 */
export function personState(
  link: Pick<Link, 'completedAt' | 'claimed' | 'landed' | 'disabled' | 'openedAt'>,
  ended: boolean,
): PersonState {
  if (link.completedAt) return 'sent';
  if (link.claimed + link.landed > 0) return 'recording';
  if (link.disabled || ended) return 'closed';
  return link.openedAt ? 'opened' : 'invited';
}
