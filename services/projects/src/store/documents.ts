import type { ClientSession, Types } from 'mongoose';
import type { Link } from '../domain/link.ts';
import type { Project } from '../domain/project.ts';
import type { ApiToken } from '../domain/user.ts';

/** A change of a shared link's uses that is under way, see shared-uses.ts. */
export interface UsesChange {
  from: number;
  to: number;
  /** The link's `usesVersion` once it has decided. */
  version: number;
}

export type LinkDocument = Link & {
  /** SHA-256 of the token. */
  hash: Buffer;
  /** The transfers that are in the counters and not yet cleared: a short list, see transfers.ts. */
  applied: Types.ObjectId[];
  /** Goes up with each change of a shared link's uses, see shared-uses.ts. */
  usesVersion: number;
  /** When its counters or `disabled` changed last, by the server's clock; absent until then. */
  changedAt?: Date;
};
export type ProjectDocument = Project & {
  dashboardHash: Buffer;
  /** The change of the shared link's uses that is under way. */
  usesChange: UsesChange | null;
};
export type TokenDocument = Omit<ApiToken, 'former'> & {
  /** SHA-256 of the secret. */
  hash: Buffer;
  former?: { hash: Buffer; until: Date };
};

export type HashedKind = 'link' | 'token' | 'dashboard';

/** Which record a secret opens, see hashes.ts. */
export interface HashDocument {
  /** SHA-256 of the secret. */
  _id: Buffer;
  kind: HashedKind;
  /** Of the link, the token or the project. */
  id: string;
  /** Of a link: its project. */
  projectId?: string;
}

/** The outcome of one `Idempotency-Key` of one user. */
export interface IdempotencyDocument {
  _id: string;
  userId: string;
  key: string;
  /** Hex SHA-256. */
  bodyHash: string;
  state: 'running' | 'done';
  /** Who runs it: only this attempt may finish it. */
  attempt: string;
  /** The id of the session in which that attempt makes its effect. */
  session: NonNullable<ClientSession['id']>['id'];
  /** By the database's clock. */
  leaseUntil: Date;
  /** The encoded answer, sealed, and the project that it is of; present when done. */
  answer?: string;
  projectId?: string;
  expireAt: Date;
}

/** The tombstone of an erasure: records that arrive late are removed by it, and an erasure that a crash cut is found. */
export interface Erasure {
  _id: string;
  kind: 'project' | 'user';
  /** The project's owner; of a user, the same as `_id`. */
  ownerId: string;
  at: Date;
  /** When records that arrived late are removed; null once that is done. */
  againAt: Date | null;
}
