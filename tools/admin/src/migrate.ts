import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { NoAddress } from './address.ts';
import { migrateAll } from './migrate-all.ts';
import type { Report } from './run.ts';
import { NotDone } from './run-erase.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const NOWHERE =
  'No database is known: set MONGO_URL to its address, or start everything with "npm start", which migrates.';

/** Migrates the databases at MONGO_URL, or those of a running `npm start`. `show` is given each step. */
export async function runMigrate(env: NodeJS.ProcessEnv, show: (line: string) => void): Promise<Report> {
  const isNamed = env.MONGO_URL || env.MONGO_URL_FILE;
  const mongoUrl = isNamed ? undefined : await urlOfStack();
  if (!isNamed && !mongoUrl) throw new NoAddress(NOWHERE);
  const steps: string[] = [];
  const report = (line: string) => {
    steps.push(line);
    show(line);
  };
  try {
    await migrateAll({ ...env, ...(mongoUrl && { MONGO_URL: mongoUrl }) }, report);
  } catch (error) {
    throw new NotDone((error as Error).message);
  }
  return { lines: ['every database is migrated'], value: { steps } };
}

async function urlOfStack(): Promise<string | undefined> {
  const text = await readFile(resolve(ROOT, '.stack/ready.json'), 'utf8').catch(() => '{}');
  return JSON.parse(text).servers?.mongo;
}
