import { connectKafka } from '@recording-request/events/kafka';
import { loadConfig } from '@recording-request/kit/config';
import { createLogger } from '@recording-request/kit/log';
import { kafkaVariables } from '@recording-request/kit-kafka/variables';
import { createObjects } from '@recording-request/kit-objects/objects';
import { type TestEnvironment, testEnvironment } from '@recording-request/testing/environment';
import { type TestStores, testStores } from '@recording-request/testing/test-stores';
import type { mongo } from 'mongoose';
import { placeOf } from '../src/backup/open-place.ts';
import type { Place } from '../src/backup/place.ts';
import { createProgress } from '../src/backup/progress.ts';
import { readSettings } from '../src/backup/settings.ts';
import { migrateAll } from '../src/migrate-all.ts';

export const silent = () => {};

/** The system whose backups the tests make. */
export interface Backed {
  environment: TestEnvironment;
  stores: TestStores;
  /** Removed after the tests. */
  stack: AsyncDisposableStack;
}

/** Opens the servers of a system with empty databases. */
export async function openBacked(): Promise<Backed> {
  const stack = new AsyncDisposableStack();
  const environment = testEnvironment();
  const stores = stack.use(testStores(environment));
  await migrateAll(environment.env, silent);
  await stores.objects().ensureBucket();
  await makeTopics(environment);
  return { environment, stores, stack };
}

/** Connects to Kafka once, as a service does when it starts. Fails when a topic is missing. */
export async function makeTopics({ env }: Pick<TestEnvironment, 'env'>): Promise<void> {
  const settings = loadConfig(env, kafkaVariables);
  const kafka = await connectKafka(settings, { clientId: 'test', log: createLogger('test', 'silent') });
  await kafka.close();
}

export type Rows = mongo.Collection<{ _id: string } & Record<string, unknown>>;
export const rows = async (of: TestStores, database: string, collection: string) =>
  (await of.database(database)).db!.collection(collection) as unknown as Rows;

/** Opens the place that `text` names, as a command does. */
export function placeNamed(text: string, env: NodeJS.ProcessEnv): Place {
  const settings = readSettings(env);
  const { tick } = createProgress(silent);
  return placeOf({ option: '--to', text, env, settings, objects: createObjects(settings), tick });
}

export async function* bytesOf(content: string): AsyncGenerator<Buffer> {
  yield Buffer.from(content);
}

export async function pathsIn(place: Place, prefix = ''): Promise<string[]> {
  const entries = await Array.fromAsync(place.list());
  const current = entries.filter(({ path, isCurrent }) => isCurrent && path.startsWith(prefix));
  return current.map(({ path }) => path).toSorted();
}

export async function removeFrom(place: Place, prefix: string): Promise<void> {
  const entries = await Array.fromAsync(place.list());
  await place.remove(entries.filter(({ path }) => path.startsWith(prefix)));
}
