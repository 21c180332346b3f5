import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import { testEnvironment } from './environment.ts';
import { startTestService } from './test-service.ts';
import { testStores } from './test-stores.ts';

const readConfig = (env: NodeJS.ProcessEnv) => ({
  prefix: mongoVariables.mongoDatabasePrefix.parse(env.MONGO_DATABASE_PREFIX, env),
});

async function databasesOf(prefix: string): Promise<string[]> {
  await using stores = testStores(testEnvironment());
  const { databases } = await (await stores.database('admin')).getClient().db('admin').admin().listDatabases();
  return databases.map(({ name }) => name).filter(name => name.startsWith(prefix));
}

/** A fake service: writes a document, and records its stop in `events`. */
function serviceOf(environment: ReturnType<typeof testEnvironment>, events: string[]) {
  let started = 0;
  return async () => {
    await using stores = testStores({ env: { ...environment.env, MONGO_DATABASE_PREFIX: '' } });
    const connection = await stores.database(`${environment.name}_things`);
    await connection.collection('things').insertOne({});
    const name = `replica ${++started}`;
    const stop = async () => void events.push(`${name} stops`);
    return { stop, [Symbol.asyncDispose]: stop };
  };
}

test('disposing stops every replica, the last first, and drops the databases', async () => {
  const environment = testEnvironment();
  const events: string[] = [];
  {
    await using running = await startTestService({
      name: 'projects',
      readConfig,
      environment,
      startService: serviceOf(environment, events),
    });
    await running.startAnother();
    assert.equal(running.config.prefix, `${environment.name}_`);
    assert.deepEqual(await databasesOf(running.config.prefix), [`${environment.name}_things`]);
    assert.deepEqual(events, []);
  }
  assert.deepEqual(events, ['replica 2 stops', 'replica 1 stops']);
  assert.deepEqual(await databasesOf(environment.name), []);
});

test('a failed start releases what it opened, and reports the failure', async () => {
  const environment = testEnvironment();
  const begin = serviceOf(environment, []);
  const startService = async () => {
    await begin();
    throw new Error('the port is taken');
  };
  await assert.rejects(startTestService({ name: 'projects', readConfig, environment, startService }), {
    message: 'the port is taken',
  });
  assert.deepEqual(await databasesOf(environment.name), []);
});
