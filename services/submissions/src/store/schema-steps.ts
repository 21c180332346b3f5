import { dropIndexes } from '@recording-request/kit/mongo';
import type { Schema } from '@recording-request/kit/mongo/migrations';
import { collections } from './models.ts';

/** What this version needs the database to be. A change of an index is a step with the new fingerprint: docs/operations.md. */
export const schema: Schema = {
  database: 'submissions',
  collections,
  steps: [
    {
      version: 1,
      name: 'collections and indexes',
      indexes: '0d662e700b60',
      // Those that others took the place of.
      async run(connection) {
        await dropIndexes(connection.collection('uploads'), ['linkId_1_responseId_1', 'projectId_1', 'failed']);
        await dropIndexes(connection.collection('deadLetters'), ['at_-1__id_-1']);
      },
    },
    { version: 2, name: 'indexes of figures', indexes: 'da460197a0ae' },
    {
      version: 3,
      name: 'open uploads by their project',
      indexes: '803a702cb10f',
      run: connection => dropIndexes(connection.collection('uploads'), ['open_slots']),
    },
    { version: 4, name: 'texts of terms by their project', indexes: '63ab50538d12' },
    { version: 5, name: 'uploads that have landed with parts left', indexes: '531d1b7ca68d' },
  ],
};
