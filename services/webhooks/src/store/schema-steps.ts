import type { Schema, Step } from '@recording-request/kit-mongo/migrations';
import { collectionsOf } from './models.ts';

/** The schema steps of this database. To change an index, add a step with the new fingerprint: docs/operations.md. */
export const steps: Step[] = [{ version: 1, name: 'collections and indexes', indexes: '6dc94d89e861' }];

/** `tombstoneSec` is the lifetime of a tombstone in seconds. */
export const schemaOf = (tombstoneSec: number): Schema => ({
  database: 'webhooks',
  collections: collectionsOf(tombstoneSec),
  steps,
});
