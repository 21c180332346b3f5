import { KIT_COLLECTIONS, type Sharding, type ShardKeys } from '@recording-request/kit-mongo/shard-keys';

/** The shard key of each collection: a field of its queries, with which its unique indexes begin. */
const keys: ShardKeys = {
  ...KIT_COLLECTIONS,
  // Every query except the operator's list has the id.
  users: { _id: 'hashed' },
  // A secret is found through `hashes`. Only the operator lists a user's tokens.
  tokens: { _id: 'hashed' },
  // Links, services and contributors know the id. An owner's list queries every shard: one index look-up on each.
  projects: { _id: 'hashed' },
  // Owners list the links of a project, and positions are unique in it. Every caller that knows a link's id also knows its
  // project's.
  links: { projectId: 'hashed' },
  // A unique link has one unique response, and every response id begins with the link's.
  responses: { linkId: 'hashed' },
  // A hash is unique in the whole system, and a look-up knows nothing else.
  hashes: { _id: 'hashed' },
  // The fields of its unique index: one user's records can be on many shards.
  idempotency: { userId: 1, key: 1 },
  erasures: { _id: 'hashed' },
};

const OPERATOR = 'a query of the operator';
const SWEEP = 'a process reads the due rows of the whole database now and then';
const OWNER = 'the list of an owner’s projects: one range of an index on each shard';
const RESEAL = 'reads all sealed records, once after a new key';
const ERASURE = 'removes the rest of an owner or a project, once per erasure';
const acrossShards = {
  'erasures find againAt': SWEEP,
  'idempotency aggregate projectId userId': ERASURE,
  'idempotency deleteMany projectId userId': ERASURE,
  'idempotency deleteMany userId': ERASURE,
  'idempotency find': RESEAL,
  'idempotency find _id': RESEAL,
  'links find': RESEAL,
  'links find _id': RESEAL,
  'projects aggregate ownerId': OPERATOR,
  'projects find': RESEAL,
  'projects find _id': RESEAL,
  'projects find ownerId': OWNER,
  'projects find _id ownerId': OWNER,
  'projects find usesChange.version': SWEEP,
  'responses find hasBytes heldUntil use': SWEEP,
  'responses find transfer.leaseUntil': SWEEP,
  'tokens deleteMany userId': ERASURE,
  'tokens find userId': OPERATOR,
  'tokens updateMany revokedAt userId': OPERATOR,
  'users find _id': OPERATOR,
};

export const sharding: Sharding = { keys, acrossShards };
