import type { Schema } from '@recording-request/kit-mongo/migrations';
import { collections } from './models.ts';

/** The database schema of this version. To change an index, add a step with the new fingerprint: docs/operations.md. */
export const schema: Schema = {
  database: 'submissions',
  collections,
  steps: [{ version: 1, name: 'collections and indexes', indexes: '4d8d1db40f1d' }],
};
