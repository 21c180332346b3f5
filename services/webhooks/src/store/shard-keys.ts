import { KIT_COLLECTIONS, type Sharding, type ShardKeys } from '@recording-request/kit-mongo/shard-keys';

/**
 * The shard keys of this database. Owners list, resend and pause deliveries of one project. A unique `_id` still
 * ensures that an event is recorded only once, because an event belongs to one project.
 */
const keys: ShardKeys = {
  ...KIT_COLLECTIONS,
  deliveries: { projectId: 'hashed' },
  // The id is the project's id.
  endpoints: { _id: 'hashed' },
  erasures: { _id: 'hashed' },
  sending: undefined,
  // Owners read their own feed. Its ids begin with the owner's id, so they are unique on the owner's shard.
  feed: { ownerId: 'hashed' },
  // The id is the owner's id.
  feedstarts: { _id: 'hashed' },
};

const SWEEP = 'a process reads the due rows of the whole database now and then';
const FIGURES = 'one process counts figures for the operator';
const RESEAL = 'reads all sealed records, once after a new key';
const QUEUE = 'the first due time of each endpoint: one index look-up for each, on its shard';
const ERASURE = 'an erasure names a project, not its owner';
const acrossShards = {
  'deliveries aggregate state': QUEUE,
  'deliveries find': RESEAL,
  'deliveries find _id': RESEAL,
  'deliveries find createdAt state': SWEEP,
  'endpoints aggregate failingSince state': FIGURES,
  'endpoints aggregate state': FIGURES,
  'endpoints find $expr checkAt': SWEEP,
  'endpoints find failingSince state': FIGURES,
  'feed aggregate dataBytes origin projectId': ERASURE,
  'feed aggregate dataBytes projectId': ERASURE,
  'feed aggregate dataBytes projectId submissionId': ERASURE,
  'feed find': RESEAL,
  'feed find _id': RESEAL,
  'feed find seq': SWEEP,
  'feed updateMany dataBytes origin projectId': ERASURE,
  'feed updateMany dataBytes projectId submissionId': ERASURE,
  'feed updateMany projectId': ERASURE,
};

export const sharding: Sharding = { keys, acrossShards };
