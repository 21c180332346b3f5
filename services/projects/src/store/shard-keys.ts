import { KIT_COLLECTIONS, type Sharding, type ShardKeys } from '@recording-request/kit-mongo/shard-keys';

/** How this database is spread over shards: by what the queries of each collection name, and its unique indexes begin with. */
const keys: ShardKeys = {
  ...KIT_COLLECTIONS,
  // Every query but the operator's list has the id.
  users: { _id: 'hashed' },
  // A secret is found through `hashes`. The lists of a user are the operator's.
  tokens: { _id: 'hashed' },
  // Links, services and contributors come by the id. An owner's list asks every shard: one look into an index on each.
  projects: { _id: 'hashed' },
  // An owner sees the links of a project, whose positions are unique in it. A link's id comes with its project's.
  links: { projectId: 'hashed' },
  // The one response of a unique link is unique by the link, with which every id begins.
  responses: { linkId: 'hashed' },
  // A hash is unique in the whole system, and all that is known where it is looked up.
  hashes: { _id: 'hashed' },
  // As its unique index has it: what one user remembers can be on many shards.
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
