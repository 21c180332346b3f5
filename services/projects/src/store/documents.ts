import type { OutboxEntry } from '@recording-request/events/outbox';
import type { ClientSession, Types } from 'mongoose';
import type { Link } from '../domain/link.ts';
import type { Logo } from '../domain/logo.ts';
import type { Project } from '../domain/project.ts';
import type { Response } from '../domain/response.ts';
import type { ApiToken } from '../domain/user.ts';

/** A running change of a shared link's number of uses, see shared-uses.ts. */
export interface UsesChange {
  from: number;
  to: number;
  /** The `usesVersion` that the link has after it accepts or refuses the change. */
  version: number;
}

export type LinkDocument = Link & {
  /** SHA-256 of the token. */
  hash: Buffer;
  /**
   * The ids of the latest transfers that the counters include; step 4 of transfer-steps.ts removes them, so the list
   * stays short.
   */
  applied: Types.ObjectId[];
  /** Increases with each change of a shared link's number of uses, see shared-uses.ts. */
  usesVersion: number;
  /**
   * `opened` is true if `openedAt` exists, and `complete` if `completedAt` exists. The index of unique links needs
   * these flags.
   */
  opened: boolean;
  complete: boolean;
  outbox?: OutboxEntry[];
};
export type ProjectDocument = Project & {
  dashboardHash: Buffer;
  /** Increases with each transaction that adds links or people, so that these transactions cannot overlap. */
  peopleVersion?: number;
  /** The running change of the shared link's number of uses. */
  usesChange: UsesChange | null;
  logo?: Logo;
  outbox?: OutboxEntry[];
};
export type ResponseDocument = Response & {
  /** The event of the response's beginning, until the response has its use: see transfer-steps.ts. */
  began?: OutboxEntry;
  outbox?: OutboxEntry[];
};
export type TokenDocument = Omit<ApiToken, 'former'> & {
  /** SHA-256 of the secret. */
  hash: Buffer;
  former?: { hash: Buffer; until: Date };
};

/** `code`: a completion code with its project, see codes.ts. */
export type HashedKind = 'link' | 'token' | 'dashboard' | 'code';

/** The record that a secret opens, see hashes.ts. */
export interface HashDocument {
  /** SHA-256 of the secret. */
  _id: Buffer;
  kind: HashedKind;
  /** The id of the link, the token, the project or the response. */
  id: string;
  /** The project, for a link and a code. */
  projectId?: string;
}

/** The result of one `Idempotency-Key` of one user. */
export interface IdempotencyDocument {
  _id: string;
  userId: string;
  key: string;
  /** Hex SHA-256. */
  bodyHash: string;
  state: 'running' | 'done';
  /** The running attempt: only this attempt may finish the record. */
  attempt: string;
  /** The database session in which this attempt writes. */
  session: NonNullable<ClientSession['id']>['id'];
  /** A time of the database's clock. */
  leaseUntil: Date;
  /** The encoded result, sealed, and its project; present when the request is done. */
  answer?: string;
  projectId?: string;
  expireAt: Date;
}

/**
 * The tombstone of an erasure. It lets the sweeper remove records that arrive late and continue an erasure that a crash
 * interrupted.
 */
export interface Erasure {
  _id: string;
  kind: 'project' | 'user';
  /** The project's owner; for a user's tombstone, the user. */
  ownerId: string;
  at: Date;
  /** When to remove late records; null when this is done. */
  againAt: Date | null;
}
