import type { Schema } from '@recording-request/kit-mongo/migrations';
import { collections } from './models.ts';

/** What this version needs the database to be. A change of an index is a step with the new fingerprint: docs/operations.md. */
export const schema: Schema = {
  database: 'submissions',
  collections,
  steps: [{ version: 1, name: 'collections and indexes', indexes: '4d8d1db40f1d' }],
};
