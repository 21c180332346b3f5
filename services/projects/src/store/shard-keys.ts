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

const OPERATOR = 'asked by the operator';
const SWEEP = 'what is due in the whole database, looked for now and then by a process';
const OWNER = 'the projects of an owner, as a person asks for them: one range of an index on each shard';
const RESEAL = 'all that is sealed, once after a new key';
const ERASURE = 'what an owner or a project leaves, once when it is erased';
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
