import { loadConfig } from '@recording-request/kit/config';
import { type Migrate, runMigration } from '@recording-request/kit/run-migration';
import { migrateDatabase } from '@recording-request/kit-mongo/migrations';
import { databaseVariables } from './config.ts';
import { schemaOf } from './store/schema-steps.ts';

/** Migrates this service's database. Needs only the MongoDB variables and the tombstone time. */
export const migrate: Migrate = (env, report) => {
  const { tombstoneSec, ...mongo } = loadConfig(env, databaseVariables);
  return migrateDatabase(mongo, schemaOf(tombstoneSec), report);
};

if (import.meta.main) await runMigration('webhooks', migrate);
