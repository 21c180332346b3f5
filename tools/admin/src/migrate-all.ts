import { fileURLToPath } from 'node:url';
import { makeTopics } from '@recording-request/events/kafka';
import { ConfigError } from '@recording-request/kit/config';
import { createLogger } from '@recording-request/kit/log';
import type { Migrate } from '@recording-request/kit/run-migration';
import { createObjects } from '@recording-request/kit-objects/objects';
import { readSettings } from './backup/settings.ts';

const SERVICES = new URL('../../../services/', import.meta.url);

/** The services with a database. The first reads a variable that must be valid before anything changes. */
const WITH_DATABASE = ['webhooks', 'projects', 'submissions'] as const;

/**
 * Migrates databases, topics and the bucket to this version, with the variables in `env`. Calls `report` with a line
 * for each thing that it creates or finds. Detects refusals by Kafka and the store before it changes anything. Rejects
 * with a sentence on a failure; completed steps stay, and the next run continues. Fails with a ConfigError when the
 * settings, or the servers in them, are unusable.
 */
export async function migrateAll(env: NodeJS.ProcessEnv, report: (line: string) => void): Promise<void> {
  const settings = readSettings(env);
  const bucket = createObjects(settings);
  const ofTopics = { report, log: createLogger('migrate', 'silent') };
  const atKafka = (validateOnly: boolean) =>
    reaching('Kafka', 'KAFKA_BROKERS', () => makeTopics(settings, { ...ofTopics, validateOnly }));
  const atStore = <T>(work: () => Promise<T>) => reaching('The object store', 'S3_ENDPOINT', work);
  await atKafka(true);
  await atStore(bucket.hasBucket);
  for (const service of WITH_DATABASE) await (await migrationOf(service))(env, report);
  await atKafka(false);
  const isMade = await atStore(bucket.ensureBucket);
  report(`bucket ${settings.s3Bucket}: ${isMade ? 'made' : 'is there'}`);
}

async function migrationOf(service: string): Promise<Migrate> {
  const { migrate } = await import(fileURLToPath(new URL(`${service}/src/migrate.ts`, SERVICES)));
  return migrate;
}

async function reaching<T>(server: string, variable: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { message, code } = error as Error & { code?: unknown };
    throw new Error(`${server} at ${variable} could not be used: ${message || code}`, { cause: error });
  }
}
