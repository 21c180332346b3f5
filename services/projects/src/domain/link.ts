import { DomainError } from '@recording-request/kit/errors';

/** A recording link. It expires with its project. */
export interface Link {
  _id: string;
  projectId: string;
  ownerId: string;
  type: 'unique' | 'shared';
  /** 0 for the shared link; unique links count from 1 in order of creation. */
  position: number;
  /** The whole token, sealed. */
  sealedToken: string;
  maxUses: number;
  /** The number of uses held by responses that have no landed clip. */
  claimed: number;
  /** The number of final uses. */
  landed: number;
  /** The number of landed clips. */
  submissionCount: number;
  disabled: boolean;
  openedAt: Date | null;
  submittedAt: Date | null;
  /** When the response became complete; for a shared link, the time of the latest one. */
  completedAt: Date | null;
  createdAt: Date;
  /**
   * When the owner or a contributor last changed the link, by the server's clock. A change of the project, such as its
   * expiry, does not change this time.
   */
  changedAt: Date;
  /** JSON of the person, the metadata and the time factor, sealed; absent without all three. */
  sealedInvitation?: string;
  /** The keyed digest of the person's `identityOf`; absent without one. */
  personKey?: string;
  /** The deadline that the owner stated. */
  dueAt?: Date;
  /** When the owner last changed the deadline; absent if the owner never did. */
  dueSince?: Date;
  /** The reminders that the service has sent because they were due, as keys of `Project.reminders`. */
  reminded?: string[];
  /** The number of all reminders of this link; absent if there were none. */
  remindersSent?: number;
  /** The time of the last reminder. */
  remindedAt?: Date;
  /** True after the person stopped the reminders. Nobody can undo this. */
  remindersStopped?: boolean;
  /** True while the owner stops the reminders of this link. */
  ownerStoppedReminders?: boolean;
  /** When the link was erased. An erased link is disabled permanently, and its counters are 0. */
  erasedAt?: Date;
  /** The number of final uses before the erasure; the allowance does not get them back. */
  spent?: number;
}

/** The fields of a link that its responses and their clips contain. */
export type LinkDetails = Pick<Link, 'position'>;
export const detailsOf = ({ position }: Link): LinkDetails => ({ position });

/** The fields that an owner may change. */
export type LinkChange = Partial<Pick<Link, 'disabled' | 'ownerStoppedReminders'>>;

/** When the links of a project stop accepting new claims. A closed project has a `closedAt`. */
export interface Term {
  /** null: never. */
  expiresAt: Date | null;
  closedAt?: Date;
}

/** The term of a response that began earlier: it may claim again after its project has expired or was closed. */
export const NO_END: Term = { expiresAt: null };

export type LinkState = 'active' | 'expired' | 'exhausted' | 'disabled';

type Uses = Pick<Link, 'maxUses' | 'claimed' | 'landed'>;

export const SHARED_POSITION = 0;
/** The number of uses of a unique link. */
export const UNIQUE_USES = 1;

/** Returns the number of uses that are neither claimed nor landed, whether or not the link has expired. */
export function remainingUses(link: Uses): number {
  return Math.max(0, link.maxUses - link.claimed - link.landed);
}

/**
 * Returns the first state that applies, in this order: disabled, exhausted, expired, active. The service computes the
 * state each time and never stores it.
 */
export function linkState(link: Uses & Pick<Link, 'disabled'>, term: Term, now: Date): LinkState {
  if (link.disabled) return 'disabled';
  if (link.landed >= link.maxUses) return 'exhausted';
  return hasExpired(term, now) ? 'expired' : 'active';
}

/** Returns whether the links of a project with this term accept no new claims. */
export function hasExpired({ expiresAt, closedAt }: Term, now: Date): boolean {
  return closedAt !== undefined || (expiresAt !== null && expiresAt <= now);
}

export type ClaimRefusal = Exclude<LinkState, 'active'> | 'closed' | 'busy';

/**
 * Returns why a use cannot be claimed now; undefined if it can. `busy`: all uses are claimed, but not all have landed.
 * Pass NO_END for a response that began earlier.
 */
export function claimRefusal(link: Uses & Pick<Link, 'disabled'>, term: Term, now: Date): ClaimRefusal | undefined {
  const state = linkState(link, term, now);
  if (state === 'expired' && term.closedAt) return 'closed';
  if (state !== 'active') return state;
  return remainingUses(link) === 0 ? 'busy' : undefined;
}

const REFUSALS: Record<ClaimRefusal, [code: 'gone' | 'conflict', reason: string, sentence: string]> = {
  disabled: ['gone', 'link_disabled', 'This recording link was disabled.'],
  exhausted: ['gone', 'link_used', 'This recording link is used up: every response that it takes has been sent.'],
  expired: ['gone', 'link_expired', 'This recording link has expired.'],
  closed: ['gone', 'project_closed', 'This project is closed.'],
  busy: ['conflict', 'link_busy', 'Every use of this recording link is taken at the moment: try again later.'],
};

export function claimRefused(refusal: ClaimRefusal): DomainError {
  const [code, reason, sentence] = REFUSALS[refusal];
  return new DomainError(code, sentence, { reason });
}

/** Returns the error for a request to erase a shared link as if it were a unique link. */
export const sharedLinkStays = () =>
  new DomainError(
    'unprocessable',
    'The shared link belongs to many people, so it cannot be erased: disable it and erase its submissions, or erase the project.',
  );
export const linkErased = () =>
  new DomainError('gone', 'This recording link was erased, so it cannot be changed: add a new link.');
export const noSuchLink = () => new DomainError('not_found', 'There is no such recording link.');
export const noSharedLink = () => new DomainError('not_found', 'This project has no shared link.');
export const lostSharedLink = () =>
  new DomainError('not_found', 'The address of this shared link cannot be shown any more: its key is lost.');
