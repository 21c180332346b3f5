import type { Schema } from '@recording-request/kit/migrations';
import { dropIndexes } from '@recording-request/kit/mongo';
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
  ],
};
