import { fileURLToPath } from 'node:url';
import { makeTopics } from '@recording-request/events/kafka';
import { ConfigError } from '@recording-request/kit/config';
import { createLogger } from '@recording-request/kit/log';
import type { Migrate } from '@recording-request/kit/run-migration';
import { createObjects } from '@recording-request/kit-objects/objects';
import { readSettings } from './backup/settings.ts';

const SERVICES = new URL('../../../services/', import.meta.url);

/** The services with a database. The first reads a variable of its own, which is refused before anything is changed. */
const WITH_DATABASE = ['webhooks', 'projects', 'submissions'] as const;

/**
 * Brings databases, topics and the bucket to what this version needs, with the variables in `env`; `report` is given a line for each thing that
 * was made or found. What Kafka or the store refuse is found before anything is changed. Rejects with a sentence, where something fails; what
 * was done before it stays, and the next run goes on. A ConfigError where the settings, or what they lead to, cannot be used.
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
