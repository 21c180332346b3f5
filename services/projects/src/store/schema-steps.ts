import { dropIndexes } from '@recording-request/kit/mongo';
import type { Schema } from '@recording-request/kit/mongo/migrations';
import { noteHashes } from './hash-migration.ts';
import { collections } from './models.ts';

/** What this version needs the database to be. A change of an index is a step with the new fingerprint: docs/operations.md. */
export const schema: Schema = {
  database: 'projects',
  collections,
  steps: [
    {
      version: 1,
      name: 'collections and indexes',
      indexes: 'bb23b3395049',
      // What the index `unique_links` has and more.
      run: connection => dropIndexes(connection.collection('links'), ['unique_link_stats']),
    },
    {
      version: 2,
      name: 'hashes in a collection of their own',
      indexes: 'e31b612a0757',
      async run(connection, report) {
        await noteHashes(connection, report);
        // A collection of a sharded database has no unique index that does not begin with its key: see shard-keys.ts.
        await dropIndexes(connection.collection('tokens'), ['hash_1']);
        await dropIndexes(connection.collection('links'), ['hash_1']);
        await dropIndexes(connection.collection('projects'), ['dashboardHash_1']);
      },
    },
  ],
};
