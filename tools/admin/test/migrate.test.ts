import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { TOPICS } from '@recording-request/events/topics';
import { loadConfig } from '@recording-request/kit/config';
import { readProgress } from '@recording-request/kit-kafka/progress';
import { kafkaVariables } from '@recording-request/kit-kafka/variables';
import { schema } from '@recording-request/projects/store/schema-steps';
import { type TestEnvironment, testEnvironment } from '@recording-request/testing/environment';
import { testCertificates } from '@recording-request/testing/test-certificates';
import { testStores } from '@recording-request/testing/test-stores';

const MAIN = `${import.meta.dirname}/../src/main.ts`;
const ofProjects = (file: string) => `${import.meta.dirname}/../../../services/projects/src/${file}`;
const DONE = 'every database is migrated; every topic is there, and the bucket\n';

/** Hides a warning, as in production: kafkajs sets timers in the past. */
const QUIET = '--disable-warning=TimeoutNegativeWarning';

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

const run = (env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> =>
  new Promise(resolve =>
    execFile(process.execPath, [QUIET, ...args], { env, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    ),
  );

/** Returns the parts of an environment that exist on the servers. */
async function thingsOf({ env, name }: TestEnvironment): Promise<string[]> {
  await using stores = testStores({ env });
  const connection = await stores.database('none');
  const { databases } = await connection.db!.admin().listDatabases({ nameOnly: true });
  await using kafka = await readProgress(loadConfig(env, kafkaVariables));
  return [
    ...databases.map(each => each.name).filter(each => each.startsWith(`${name}_`)),
    ...TOPICS.filter(kafka.has),
    ...((await stores.objects().hasBucket()) ? ['the bucket'] : []),
  ];
}

test('a service refuses a database that was not migrated, and names the command', async () => {
  const environment = testEnvironment();
  const env = { ...environment.env, ...(await testCertificates()).env('projects') };
  await using _stores = testStores(environment);
  const refused = await run(env, ofProjects('main.ts'));
  assert.equal(refused.code, 78);
  assert.match(
    refused.stderr,
    /^projects: The database \S+_projects has not been migrated, .*"npm run admin -- migrate"[^\n]*\n$/,
  );
  const { code, stdout, stderr } = await run(env, MAIN, 'migrate');
  assert.deepEqual([code, stdout], [0, DONE]);
  assert.match(
    stderr,
    /^webhooks: version 1, .* is applied.*^projects: tokens: building .*^submissions: version 1, /ms,
  );
  const again = await run(env, ofProjects('migrate.ts'));
  assert.deepEqual(again, { code: 0, stdout: `projects: is at version ${schema.steps.at(-1)!.version}\n`, stderr: '' });
  const nowhere = await run({ ...env, MONGO_URL: 'here' }, ofProjects('migrate.ts'));
  assert.equal(nowhere.code, 78);
  assert.match(nowhere.stderr, /MONGO_URL must be a mongodb:\/\/ or mongodb\+srv:\/\/ address/);
});

test('a migration creates each topic and the bucket, reports each, and finds them the next time', async () => {
  const environment = testEnvironment();
  const { env, name } = environment;
  await using _stores = testStores(environment);
  const first = await run(env, MAIN, 'migrate');
  assert.equal(first.code, 0, first.stderr);
  const linesOf = ({ stderr }: Ended) => stderr.split('\n').filter(line => /^(topic|bucket) /.test(line));
  const words = (topics: string, bucket: string) => [
    ...TOPICS.map(topic => `topic ${name}.${topic}: ${topics}`),
    `bucket ${name}: ${bucket}`,
  ];
  assert.deepEqual(linesOf(first).sort(), words('made, with 2 partitions', 'made').sort());
  const second = await run(env, MAIN, 'migrate');
  assert.deepEqual([second.code, second.stdout], [0, DONE]);
  assert.deepEqual(linesOf(second).sort(), words('is there, with 2 partitions', 'is there').sort());
  assert.doesNotMatch(second.stderr, /applied|made/);
});

test('reports an unusable setting as one sentence and status 78, before it creates anything', async () => {
  const environment = testEnvironment();
  await using _stores = testStores(environment);
  const faults: [variables: Record<string, string>, sentence: RegExp][] = [
    [{ KAFKA_BROKERS: '' }, /^admin: The configuration is not usable: KAFKA_BROKERS is not set$/],
    [{ KAFKA_PARTITIONS: 'six' }, /^admin: The configuration is not usable: KAFKA_PARTITIONS must be a whole number/],
    [{ WEBHOOK_TOMBSTONE_SECONDS: 'x' }, /^admin: The configuration is not usable: WEBHOOK_TOMBSTONE_SECONDS must be/],
    [
      { SETTING_RETENTION_DAY: '30' },
      /^admin: The configuration is not usable: no program reads a setting RETENTION_DAY: /,
    ],
    [{ S3_SECRET_KEY: 'wrong' }, /^admin: The object store does not accept S3_ACCESS_KEY with S3_SECRET_KEY/],
    [
      { MONGO_URL: environment.env.MONGO_URL!.replace('//', '//nobody:wrong@') },
      /^admin: MongoDB does not accept the user or the password in MONGO_URL\.$/,
    ],
  ];
  for (const [variables, sentence] of faults) {
    const { code, stderr } = await run({ ...environment.env, ...variables }, MAIN, 'migrate');
    assert.equal(code, 78, stderr);
    assert.match(stderr.trimEnd(), sentence);
  }
  assert.deepEqual(await thingsOf(environment), []);
  const away = await run({ ...environment.env, S3_ENDPOINT: 'http://127.0.0.1:9' }, MAIN, 'migrate');
  assert.equal(away.code, 1);
  assert.match(away.stderr, /^admin: The object store at S3_ENDPOINT could not be used: .*ECONNREFUSED/);
  assert.deepEqual(await thingsOf(environment), [], 'also detects an unavailable server before it creates anything');
});
