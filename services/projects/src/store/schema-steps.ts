import type { Schema } from '@recording-request/kit-mongo/migrations';
import { collections } from './models.ts';

/**
 * The state of the database that this version needs. A change of an index is a step with the new fingerprint:
 * docs/operations.md.
 */
export const schema: Schema = {
  database: 'projects',
  collections,
  steps: [{ version: 1, name: 'collections and indexes', indexes: '25f77e916063' }],
};
