import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { loadConfig, StartError } from '@recording-request/kit/config';
import { testEnvironment } from '@recording-request/testing/environment';
import { testStores } from '@recording-request/testing/test-stores';
import { migrateDatabase, requireSchema, type Schema, type Step } from '../src/migrations.ts';
import type { Connection } from '../src/mongo.ts';
import { mongoVariables } from '../src/variables.ts';

const environment = testEnvironment();
const stores = testStores(environment);
const settings = loadConfig(environment.env, mongoVariables);
const silent = () => {};
let made = 0;
after(() => stores[Symbol.asyncDispose]());

const THINGS: Schema['collections'][number] = {
  collection: 'things',
  indexes: [
    { keys: { at: 1 }, options: { expireAfterSeconds: 60 } },
    { keys: { owner: 1, name: 1 }, options: { unique: true, name: 'names' } },
  ],
};

/** Returns a new database and a schema with these steps. */
async function database(...steps: Step[]): Promise<{ schema: Schema; connection: Connection }> {
  const schema = { database: `of-${++made}`, collections: [THINGS], steps };
  return { schema, connection: await stores.database(schema.database) };
}

const indexesOf = async (connection: Connection) =>
  (await connection.collection('things').indexes()).map(({ name }) => name).sort();
const counting = (version: number, more: Partial<Step> = {}) => {
  const step = { version, name: `step ${version}`, runs: 0, ...more, run: async () => void step.runs++ };
  return step;
};

test('an unmigrated database is refused with the command to run; a migration runs each step once', async () => {
  const step = counting(1);
  const { schema, connection } = await database(step);
  await assert.rejects(requireSchema(connection, schema.steps), (error: Error) => {
    assert.ok(error instanceof StartError);
    assert.match(error.message, /of-1 has not been migrated, .* needs version 1: run "npm run admin -- migrate"/);
    return true;
  });
  const lines: string[] = [];
  await migrateDatabase(settings, schema, line => lines.push(line));
  await requireSchema(connection, schema.steps);
  assert.deepEqual(lines, ['of-1: things: building the indexes at_1, names', 'of-1: version 1, step 1, is applied']);
  await migrateDatabase(settings, schema, silent);
  assert.equal(step.runs, 1);
  const record = await connection.collection('schema').findOne({});
  assert.deepEqual([record?.version, record?.applied.map(({ name }: Step) => name)], [1, ['step 1']]);
  const next = { ...schema, steps: [step, counting(2)] };
  await assert.rejects(requireSchema(connection, next.steps), /is at version 1 of its schema, .* needs version 2/);
});

test('when several processes migrate at once, one works and all end after it', async () => {
  const slow = { ...counting(1), runs: 0 };
  slow.run = async () => {
    slow.runs++;
    await new Promise(resolve => setTimeout(resolve, 300));
  };
  const { schema, connection } = await database(slow);
  const lines: string[] = [];
  const ends = Array.from({ length: 4 }, () => migrateDatabase(settings, schema, line => lines.push(line)));
  await Promise.all(ends);
  assert.equal(slow.runs, 1);
  assert.ok(lines.some(line => line.includes('another process migrates this database')));
  await requireSchema(connection, schema.steps);
});

test('a failed step is not recorded, earlier ones are, and the next run continues with it', async () => {
  const first = counting(1);
  const broken: Step = {
    version: 2,
    name: 'fails once',
    run: async () => Promise.reject(new Error('the disk is full')),
  };
  const { schema, connection } = await database(first, broken);
  await assert.rejects(migrateDatabase(settings, schema, silent), /the disk is full/);
  await requireSchema(connection, [first]);
  await assert.rejects(requireSchema(connection, schema.steps), StartError);
  const fixed = counting(2);
  await migrateDatabase(settings, { ...schema, steps: [first, fixed] }, silent);
  assert.deepEqual([first.runs, fixed.runs], [1, 1]);
});

test('the error names a unique index that the data violates; a step before the build can fix the data', async () => {
  const { schema, connection } = await database(counting(1));
  const things = connection.collection('things');
  await things.insertMany([
    { owner: 'a', name: 'x' },
    { owner: 'a', name: 'x' },
  ]);
  await assert.rejects(
    migrateDatabase(settings, schema, silent),
    /^Error: The indexes of things could not be built: .*names/,
  );
  await assert.rejects(requireSchema(connection, schema.steps), StartError);
  const room: Step = {
    version: 1,
    name: 'room',
    beforeIndexes: true,
    run: async () => void (await things.deleteOne({})),
  };
  await migrateDatabase(settings, { ...schema, steps: [room] }, silent);
  assert.deepEqual(await indexesOf(connection), ['_id_', 'at_1', 'names']);
});

test('an older service works on a newer database and leaves its schema alone, until a step excludes it', async () => {
  const steps = [counting(1), counting(2)];
  const { schema, connection } = await database(...steps);
  await migrateDatabase(settings, schema, silent);
  await connection.collection('things').dropIndex('names');
  const older = { ...schema, steps: steps.slice(0, 1) };
  await requireSchema(connection, older.steps);
  await migrateDatabase(settings, older, silent);
  assert.deepEqual(
    await indexesOf(connection),
    ['_id_', 'at_1'],
    'an index that the newer version removed stays removed',
  );
  const ending = { ...schema, steps: [...steps, counting(3, { oldest: 2 })] };
  await migrateDatabase(settings, ending, silent);
  await requireSchema(connection, steps);
  for (const refused of [requireSchema(connection, older.steps), migrateDatabase(settings, older, silent)])
    await assert.rejects(refused, /no longer works with version 1 of its schema.* run a service of version 2 or later/);
});

test('an index with another expiry is changed in place', async () => {
  const { schema, connection } = await database(counting(1));
  await migrateDatabase(settings, schema, silent);
  const [at, names] = THINGS.indexes;
  const longer = { ...THINGS, indexes: [{ ...at!, options: { expireAfterSeconds: 90 } }, names!] };
  await migrateDatabase(settings, { ...schema, collections: [longer] }, silent);
  const index = (await connection.collection('things').indexes()).find(({ name }) => name === 'at_1');
  assert.equal(index?.expireAfterSeconds, 90);
});
