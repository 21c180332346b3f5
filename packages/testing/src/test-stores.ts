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

/** A test's direct access to an environment's databases, topics and bucket. */
export interface TestStores extends AsyncDisposable {
  /** Connects to the database of a service, such as `submissions`. */
  database(service: string): Promise<Connection>;
  /** Creates missing topics and connects. */
  kafka(): Promise<Kafka>;
  objects(): Objects;
  /** Creates the topics, like the migration of the whole system. */
  makeTopics(): Promise<void>;
}

/** Opens connections on demand. Disposing closes them and drops the environment's databases. */
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
  // An empty prefix would match every database.
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
