import { DomainError } from '@recording-request/kit/errors';

/** A recording link. Its expiry is the project's. */
export interface Link {
  _id: string;
  projectId: string;
  ownerId: string;
  type: 'unique' | 'shared';
  /** 0 for the shared link, 1 and up for the unique ones in the order of their making. */
  position: number;
  /** The token in full, sealed. */
  sealedToken: string;
  maxUses: number;
  /** Uses held by responses that have landed nothing yet. */
  claimed: number;
  /** Uses that became final. */
  landed: number;
  /** Clips that landed. */
  submissionCount: number;
  disabled: boolean;
  openedAt: Date | null;
  submittedAt: Date | null;
  /** When a response was complete; the latest of a shared link. */
  completedAt: Date | null;
  createdAt: Date;
}

/** The parts that responses and their clips carry. */
export type LinkDetails = Pick<Link, 'position'>;
export const detailsOf = ({ position }: Link): LinkDetails => ({ position });

/** The fields that an owner may change. */
export type LinkChange = Partial<Pick<Link, 'disabled'>>;

export type LinkState = 'active' | 'expired' | 'exhausted' | 'disabled';

type Uses = Pick<Link, 'maxUses' | 'claimed' | 'landed'>;

export const SHARED_POSITION = 0;
/** What a unique link can be used for in all. */
export const UNIQUE_USES = 1;

/** Uses that are neither claimed nor landed, whatever the expiry. */
export function remainingUses(link: Uses): number {
  return Math.max(0, link.maxUses - link.claimed - link.landed);
}

/** The first that applies of disabled, exhausted, expired, active. Derived each time, never stored. */
export function linkState(link: Uses & Pick<Link, 'disabled'>, expiresAt: Date | null, now: Date): LinkState {
  if (link.disabled) return 'disabled';
  if (link.landed >= link.maxUses) return 'exhausted';
  return hasExpired(expiresAt, now) ? 'expired' : 'active';
}

/** Whether links of a project with this expiry take no new claims any more. */
export function hasExpired(expiresAt: Date | null, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now;
}

export type ClaimRefusal = Exclude<LinkState, 'active'> | 'busy';

/**
 * Why a use cannot be claimed now, or undefined where it can. `busy`: all uses are claimed, not all have landed.
 * A response that was begun before claims again past the expiry: give null for it then.
 */
export function claimRefusal(
  link: Uses & Pick<Link, 'disabled'>,
  expiresAt: Date | null,
  now: Date,
): ClaimRefusal | undefined {
  const state = linkState(link, expiresAt, now);
  if (state !== 'active') return state;
  return remainingUses(link) === 0 ? 'busy' : undefined;
}

const REFUSALS: Record<ClaimRefusal, [code: 'gone' | 'conflict', reason: string, sentence: string]> = {
  disabled: ['gone', 'link_disabled', 'This recording link was disabled.'],
  exhausted: ['gone', 'link_used', 'This recording link is used up: every response that it takes has been sent.'],
  expired: ['gone', 'link_expired', 'This recording link has expired.'],
  busy: ['conflict', 'link_busy', 'Every use of this recording link is taken at the moment: try again later.'],
};

export function claimRefused(refusal: ClaimRefusal): DomainError {
  const [code, reason, sentence] = REFUSALS[refusal];
  return new DomainError(code, sentence, { reason });
}

export const noSuchLink = () => new DomainError('not_found', 'There is no such recording link.');
export const noSharedLink = () => new DomainError('not_found', 'This project has no shared link.');
export const lostSharedLink = () =>
  new DomainError('not_found', 'The address of this shared link cannot be shown any more: its key is lost.');
