import { KIT_COLLECTIONS, type Sharding, type ShardKeys } from '@recording-request/kit-mongo/shard-keys';

/**
 * The shard key of each collection. The collection's queries contain this field, and its unique indexes begin with it.
 */
const keys: ShardKeys = {
  ...KIT_COLLECTIONS,
  // Every query except the operator's list contains the id.
  users: { _id: 'hashed' },
  // A token is found through `hashes`. Only the operator lists the tokens of a user.
  tokens: { _id: 'hashed' },
  // Links, services and contributors know the project's id. An owner's list queries every shard, with one index look-up
  // on each.
  projects: { _id: 'hashed' },
  // Owners list the links of a project, and a position is unique within its project. Every caller that knows a link's
  // id also knows its project's id.
  links: { projectId: 'hashed' },
  // A unique link has at most one response, and every response's id begins with its link's id.
  responses: { linkId: 'hashed' },
  // A hash is unique in the whole system, and a look-up knows only the hash.
  hashes: { _id: 'hashed' },
  // The unique index has these fields. The records of one user can be on many shards.
  idempotency: { userId: 1, key: 1 },
  erasures: { _id: 'hashed' },
};

const OPERATOR = 'a query of the operator';
const SWEEP = 'a process reads the due rows of the whole database now and then';
const FIGURES = 'one process counts figures for the operator';
const RELAY = 'the one publishing process reads unpublished events';
const OWNER = 'the list of an owner’s projects: one range of an index on each shard';
const RESEAL = 'reads all sealed records, once after a new key';
const ERASURE = 'removes the rest of an owner or a project, once per erasure';
const acrossShards = {
  'erasures find againAt': SWEEP,
  'hashes deleteMany kind projectId': ERASURE,
  'idempotency aggregate projectId userId': ERASURE,
  'idempotency deleteMany projectId userId': ERASURE,
  'idempotency deleteMany userId': ERASURE,
  'idempotency find': RESEAL,
  'idempotency find _id': RESEAL,
  'links aggregate outbox.at': FIGURES,
  'links find': RESEAL,
  'links find _id': `${RESEAL}; ${OPERATOR} without a project`,
  'links find outbox.at': RELAY,
  'projects aggregate outbox.at': FIGURES,
  'projects aggregate ownerId': OPERATOR,
  'projects find': RESEAL,
  'projects find _id': RESEAL,
  'projects find outbox.at': RELAY,
  'projects find ownerId': OWNER,
  'projects find ownerId settings.projectName': OWNER,
  'projects find _id ownerId settings.projectName': OWNER,
  'projects find _id ownerId': OWNER,
  'projects aggregate remindAt': SWEEP,
  'projects updateMany ownerId remindAt': OPERATOR,
  'projects find usesChange.version': SWEEP,
  'projects find sandboxDueAt': SWEEP,
  'projects find sandboxEndsAt': FIGURES,
  'projects find _id retentionDays': SWEEP,
  'responses aggregate outbox.at': FIGURES,
  'responses find outbox.at': RELAY,
  'responses find': RESEAL,
  'responses find _id': RESEAL,
  'responses find hasBytes heldUntil use': SWEEP,
  'responses find transfer.leaseUntil': SWEEP,
  'tokens deleteMany userId': ERASURE,
  'tokens find userId': OPERATOR,
  'tokens updateMany revokedAt userId': OPERATOR,
  'users find _id': OPERATOR,
};

export const sharding: Sharding = { keys, acrossShards };
