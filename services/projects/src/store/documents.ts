import type { ClientSession, Types } from 'mongoose';
import type { Link } from '../domain/link.ts';
import type { Project } from '../domain/project.ts';
import type { ApiToken } from '../domain/user.ts';

/** A running change of a shared link's uses, see shared-uses.ts. */
export interface UsesChange {
  from: number;
  to: number;
  /** The link's `usesVersion` after its decision. */
  version: number;
}

export type LinkDocument = Link & {
  /** SHA-256 of the token. */
  hash: Buffer;
  /** The transfers that are in the counters but not yet cleared: a short list, see transfers.ts. */
  applied: Types.ObjectId[];
  /** Increases with each change of a shared link's uses, see shared-uses.ts. */
  usesVersion: number;
  /** The last change of its counters or `disabled`, by the server's clock; absent before the first. */
  changedAt?: Date;
};
export type ProjectDocument = Project & {
  dashboardHash: Buffer;
  /** The running change of the shared link's uses. */
  usesChange: UsesChange | null;
};
export type TokenDocument = Omit<ApiToken, 'former'> & {
  /** SHA-256 of the secret. */
  hash: Buffer;
  former?: { hash: Buffer; until: Date };
};

export type HashedKind = 'link' | 'token' | 'dashboard';

/** The record that a secret opens, see hashes.ts. */
export interface HashDocument {
  /** SHA-256 of the secret. */
  _id: Buffer;
  kind: HashedKind;
  /** The id of the link, the token or the project. */
  id: string;
  /** A link's project. */
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
  /** The running attempt: only this one may finish the record. */
  attempt: string;
  /** The session in which that attempt writes. */
  session: NonNullable<ClientSession['id']>['id'];
  /** By the database's clock. */
  leaseUntil: Date;
  /** The encoded answer, sealed, and its project; present when done. */
  answer?: string;
  projectId?: string;
  expireAt: Date;
}

/** The tombstone of an erasure. It removes records that arrive late, and marks an erasure that a crash interrupted. */
export interface Erasure {
  _id: string;
  kind: 'project' | 'user';
  /** The project's owner; for a user, the same as `_id`. */
  ownerId: string;
  at: Date;
  /** The time to remove late records; null when that is done. */
  againAt: Date | null;
}
