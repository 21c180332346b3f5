import { KIT_COLLECTIONS, type Sharding, type ShardKeys } from '@recording-request/kit-mongo/shard-keys';

/**
 * The shard keys of this database. Owners list, resend and pause within one project. A unique `_id` still records an event only
 * once, because an event belongs to one project.
 */
const keys: ShardKeys = {
  ...KIT_COLLECTIONS,
  deliveries: { projectId: 'hashed' },
  // The id is the project's id.
  endpoints: { _id: 'hashed' },
  erasures: { _id: 'hashed' },
};

const SWEEP = 'what is due in the whole database, looked for now and then by a process';
const FIGURES = 'counted for the operator, by one process';
const QUEUE = 'when the first delivery of each endpoint is due: one look into an index for each, on its shard';
const acrossShards = {
  'deliveries aggregate nextAt state step': FIGURES,
  'deliveries aggregate state': QUEUE,
  'deliveries find createdAt state': SWEEP,
  'deliveries find nextAt state step': FIGURES,
  'endpoints aggregate failingSince state': FIGURES,
  'endpoints aggregate state': FIGURES,
  'endpoints find $expr checkAt': SWEEP,
};

export const sharding: Sharding = { keys, acrossShards };
