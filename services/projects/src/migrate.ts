import { loadConfig } from '@recording-request/kit/config';
import { type Migrate, runMigration } from '@recording-request/kit/run-migration';
import { migrateDatabase } from '@recording-request/kit-mongo/migrations';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import { schema } from './store/schema-steps.ts';

/** Migrates this service's database. As a separate process, reads only the variables of MongoDB. */
export const migrate: Migrate = (env, report) => migrateDatabase(loadConfig(env, mongoVariables), schema, report);

if (import.meta.main) await runMigration('projects', migrate);
