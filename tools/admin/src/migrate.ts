import { ConfigError } from '@recording-request/kit/config';
import { isAnyNamed, NoAddress, storesOf } from './address.ts';
import { migrateAll } from './migrate-all.ts';
import type { Report } from './run.ts';
import { NotDone } from './run-erase.ts';
import { refuseUnknownSettings } from './unknown-settings.ts';

const NOWHERE =
  'No server is known: set MONGO_URL, KAFKA_BROKERS and S3_ENDPOINT to their addresses, or start everything with "npm start", which migrates.';

/** Migrates the servers that `env` names, or the servers of the `npm start` that runs on `dataDir`. Calls `show` with each step. */
export async function runMigrate(
  env: NodeJS.ProcessEnv,
  show: (line: string) => void,
  dataDir?: string,
): Promise<Report> {
  refuseUnknownSettings(env);
  const stores = await storesOf(env, dataDir);
  if (!isAnyNamed(stores)) throw new NoAddress(NOWHERE);
  const steps: string[] = [];
  const report = (line: string) => {
    steps.push(line);
    show(line);
  };
  try {
    await migrateAll(stores, report);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new NotDone((error as Error).message);
  }
  return { lines: ['every database is migrated; every topic is there, and the bucket'], value: { steps } };
}
