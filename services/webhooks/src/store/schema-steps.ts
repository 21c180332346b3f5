import type { Schema, Step } from '@recording-request/kit-mongo/migrations';
import { collectionsOf } from './models.ts';

/** How this version's database came to be. A change of an index is a step with the new fingerprint: docs/operations.md. */
export const steps: Step[] = [{ version: 1, name: 'collections and indexes', indexes: '09eb3e14cde6' }];

/** `tombstoneSec`: how long an erasure is remembered. */
export const schemaOf = (tombstoneSec: number): Schema => ({
  database: 'webhooks',
  collections: collectionsOf(tombstoneSec),
  steps,
});
