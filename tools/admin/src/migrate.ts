import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { migrateAll } from '@recording-request/stack/migrate';
import { NoAddress } from './address.ts';
import type { Report } from './run.ts';
import { NotDone } from './run-erase.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const NOWHERE =
  'No database is known: set MONGO_URL to its address, or start everything with "npm start", which migrates.';

/** Migrates the databases at MONGO_URL, or those of a running `npm start`. `show` is given each step. */
export async function runMigrate(env: NodeJS.ProcessEnv, show: (line: string) => void): Promise<Report> {
  const mongoUrl = env.MONGO_URL || (await urlOfStack());
  if (!mongoUrl) throw new NoAddress(NOWHERE);
  const steps: string[] = [];
  const report = (line: string) => {
    steps.push(line);
    show(line);
  };
  try {
    await migrateAll({ ...env, MONGO_URL: mongoUrl }, report);
  } catch (error) {
    throw new NotDone((error as Error).message);
  }
  return { lines: ['every database is migrated'], value: { steps } };
}

async function urlOfStack(): Promise<string | undefined> {
  const text = await readFile(resolve(ROOT, '.stack/ready.json'), 'utf8').catch(() => '{}');
  return JSON.parse(text).servers?.mongo;
}
