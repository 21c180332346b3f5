import { connectKafka, type Kafka, makeTopics } from '@recording-request/events/kafka';
import { loadConfig } from '@recording-request/kit/config';
import { createLogger } from '@recording-request/kit/log';
import { kafkaVariables } from '@recording-request/kit-kafka/variables';
import { connectMongo } from '@recording-request/kit-mongo/mongo';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import { createObjects, type Objects } from '@recording-request/kit-objects/objects';
import { objectVariables } from '@recording-request/kit-objects/variables';
import type { Connection } from 'mongoose';
import type { TestEnvironment } from './environment.ts';

/** The databases, topics and bucket of an environment, as a test reads and writes them beside the services. */
export interface TestStores extends AsyncDisposable {
  /** Connects to the database of a service, such as `submissions`. */
  database(service: string): Promise<Connection>;
  /** Makes the topics, unless they are there, and connects. */
  kafka(): Promise<Kafka>;
  objects(): Objects;
  /** Makes the topics, as a migration of the whole does. */
  makeTopics(): Promise<void>;
}

/** Opens nothing until it is asked for. Disposing of it closes what was opened and drops the environment's databases. */
export function testStores({ env }: Pick<TestEnvironment, 'env'>): TestStores {
  const opened = new AsyncDisposableStack();
  const log = createLogger('test', 'silent');
  const made = () => makeTopics(loadConfig(env, kafkaVariables), { log, report: () => {} });
  return {
    database: async service =>
      opened.adopt(await connectMongo(loadConfig(env, mongoVariables), service, 'test'), connection =>
        connection.close(),
      ),
    async kafka() {
      await made();
      return opened.adopt(await connectKafka(loadConfig(env, kafkaVariables), { clientId: 'test', log }), each =>
        each.close(),
      );
    },
    objects: () => createObjects(loadConfig(env, objectVariables)),
    makeTopics: made,
    async [Symbol.asyncDispose]() {
      await opened.disposeAsync();
      await dropDatabases(env);
    },
  };
}

/** Drops every database that begins with the environment's prefix. */
async function dropDatabases(env: NodeJS.ProcessEnv): Promise<void> {
  if (!env.MONGO_URL) return;
  const settings = loadConfig(env, mongoVariables);
  const { mongoDatabasePrefix } = settings;
  // Without a prefix of its own it would drop those of everybody.
  if (mongoDatabasePrefix === '') return;
  const connection = await connectMongo(settings, 'none');
  try {
    const client = connection.getClient();
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
    for (const { name } of databases) if (name.startsWith(mongoDatabasePrefix)) await client.db(name).dropDatabase();
  } finally {
    await connection.close();
  }
}
