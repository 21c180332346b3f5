import type { Schema } from '@recording-request/kit-mongo/migrations';
import { collections } from './models.ts';

/**
 * The database schema that this version needs. To change an index, add a step with the new fingerprint:
 * docs/operations.md.
 */
export const schema: Schema = {
  database: 'projects',
  collections,
  steps: [{ version: 1, name: 'collections and indexes', indexes: 'dd0258ecf6f6' }],
};
