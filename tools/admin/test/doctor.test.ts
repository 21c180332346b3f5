import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { testEnvironment } from '@recording-request/testing/environment';
import { testStores } from '@recording-request/testing/test-stores';
import { until } from '@recording-request/testing/wait';
import { Kafka, logLevel } from 'kafkajs';
import { runDoctor } from '../src/doctor/doctor.ts';
import type { Finding } from '../src/doctor/finding.ts';
import type { Workload } from '../src/doctor/needs.ts';
import { migrateAll } from '../src/migrate-all.ts';

const PASSWORD = 'a-wrong-password';
const CLOSED = '127.0.0.1:1';
const environment = testEnvironment();
const stores = testStores(environment);
before(() => migrateAll(environment.env, () => {}));
after(() => stores[Symbol.asyncDispose]());

/** Runs the doctor with changed variables. Returns its findings about a server, and checks that no line has a secret. */
async function look(workload: Workload | undefined, changes: NodeJS.ProcessEnv, about: string): Promise<Finding[]> {
  const env = { ...environment.env, ...changes };
  const report = await runDoctor(env, { name: 'doctor', workload, timeoutSeconds: 8 });
  const text = report.lines.join('\n');
  for (const secret of [PASSWORD, env.S3_SECRET_KEY!, env.SPEECH_API_KEY])
    if (secret) assert.ok(!text.includes(secret));
  const findings = report.value as Finding[];
  assert.equal(
    report.failed,
    findings.some(({ state }) => state === 'wrong'),
  );
  return findings.filter(finding => finding.about === about);
}

const wrongOf = (findings: Finding[]): string =>
  findings
    .filter(({ state }) => state === 'wrong')
    .map(({ text }) => text)
    .join('\n');

async function answering(answer: RequestListener) {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => answer(request, response));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const stop = async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, [Symbol.asyncDispose]: stop };
}

test('finds nothing wrong with working servers', async () => {
  const { lines, value, failed } = await runDoctor(environment.env, {
    name: 'doctor',
    workload: undefined,
    timeoutSeconds: 60,
  });
  assert.equal(failed, false, lines.join('\n'));
  const tried = new Set((value as Finding[]).map(({ about }) => about));
  assert.deepEqual([...tried], ['MongoDB', 'Kafka', 'object store', 'speech', 'collector']);
  assert.equal(lines.at(-1), 'nothing is wrong');
});

const withUser = (url: string, user: string, password: string) => url.replace('://', `://${user}:${password}@`);
const { MONGO_URL = '', SPEECH_API_KEY } = environment.env;

const FAULTS: [name: string, workload: Workload, about: string, changes: NodeJS.ProcessEnv, sentence: RegExp][] = [
  [
    'a wrong password of MongoDB',
    'projects',
    'MongoDB',
    { MONGO_URL: withUser(MONGO_URL, 'nobody', PASSWORD) },
    /does not accept the user or the password in MONGO_URL/,
  ],
  [
    'a closed port of MongoDB',
    'webhooks',
    'MongoDB',
    { MONGO_URL: `mongodb://${CLOSED}/?replicaSet=rs0` },
    /nothing listens at 127\.0\.0\.1:1/,
  ],
  ['a closed port of Kafka', 'media', 'Kafka', { KAFKA_BROKERS: CLOSED }, /nothing listens at 127\.0\.0\.1:1/],
  ['missing topics', 'media', 'Kafka', { KAFKA_TOPIC_PREFIX: 'elsewhere.' }, /elsewhere\.media\.work.* migrate/],
  [
    'too few replicas',
    'media',
    'Kafka',
    { KAFKA_REPLICATION: '3', KAFKA_MIN_INSYNC_REPLICAS: '1' },
    /KAFKA_REPLICATION asks for 3/,
  ],
  ['a missing bucket', 'submissions', 'object store', { S3_BUCKET: 'nowhere' }, /bucket nowhere does not exist: run /],
  [
    'a wrong key of the store',
    'media',
    'object store',
    { S3_SECRET_KEY: PASSWORD },
    /does not accept S3_ACCESS_KEY with S3_SECRET_KEY/,
  ],
  [
    'an unknown name of the store',
    'gateway',
    'object store',
    { S3_ENDPOINT: 'http://store.invalid:9000' },
    /DNS .*for store\.invalid/,
  ],
  ['a closed port of Redis', 'gateway', 'Redis', { REDIS_URL: `redis://:${PASSWORD}@${CLOSED}` }, /nothing listens at/],
  [
    'a misspelt setting',
    'migrate',
    'settings',
    { SETTING_S3_BUCKETS: 'x' },
    /no program reads a setting S3_BUCKETS.*S3_BUCKET/,
  ],
];
for (const [name, workload, about, changes, sentence] of FAULTS)
  test(`names ${name}`, async () => {
    assert.match(wrongOf(await look(workload, changes, about)), sentence);
  });

test('shows how many partitions a consumer group reads, and how many events wait', async () => {
  const { KAFKA_BROKERS = '', KAFKA_TOPIC_PREFIX = '' } = environment.env;
  const [group, topic] = [`${KAFKA_TOPIC_PREFIX}webhooks`, `${KAFKA_TOPIC_PREFIX}submissions.events`];
  const textOf = async () => (await look('webhooks', {}, 'Kafka')).map(({ text }) => text).join('\n');
  assert.ok((await textOf()).includes(`no process reads for the group ${group} now; 0 events wait`));
  const consumer = new Kafka({ brokers: KAFKA_BROKERS.split(','), logLevel: logLevel.NOTHING }).consumer({
    groupId: group,
  });
  await consumer.connect();
  try {
    await consumer.subscribe({ topic });
    await consumer.run({ eachMessage: async () => {} });
    const reads = new RegExp(`^1 member of the group ${group}: (\\d+) of \\1 partitions are read, 0 events wait$`, 'm');
    await until('the doctor sees the member', async () => reads.test(await textOf()), { limitMs: 60_000 });
  } finally {
    await consumer.disconnect();
  }
});

test('names missing settings once, and tries the servers whose settings are complete', async () => {
  const settings = await look('webhooks', { KAFKA_BROKERS: '', PROJECTS_GRPC: '' }, 'settings');
  assert.match(wrongOf(settings), /^KAFKA_BROKERS is not set .*[\s\S]*^PROJECTS_GRPC is not set /m);
  const kafka = await look('webhooks', { KAFKA_BROKERS: '' }, 'Kafka');
  assert.deepEqual(
    kafka.map(({ state }) => state),
    ['note'],
  );
  assert.equal(wrongOf(await look('webhooks', { KAFKA_BROKERS: '' }, 'MongoDB')), '');
});

test('names the rights in a database that a user lacks', async () => {
  const connection = await stores.database('projects');
  const admin = connection.getClient().db('admin');
  const user = `${environment.name}-reader`;
  const role = { role: 'read', db: `${environment.env.MONGO_DATABASE_PREFIX}projects` };
  await admin.command({ createUser: user, pwd: PASSWORD, roles: [role] });
  try {
    const findings = await look('projects', { MONGO_URL: withUser(MONGO_URL, user, PASSWORD) }, 'MongoDB');
    assert.match(wrongOf(findings), /^the user in MONGO_URL may not insert, update, remove in t\w+_projects/);
  } finally {
    await admin.command({ dropUser: user });
  }
});

test('says what a speech endpoint refuses', async () => {
  const cases: [status: number, body: string, sentence: RegExp][] = [
    [401, `{"error":{"message":"Incorrect key ${PASSWORD}"}}`, /does not accept SPEECH_API_KEY \(401\)/],
    [404, '{"detail":"Not Found"}', /up to and with \/v1/],
    [404, '{"error":{"code":"model_not_found"}}', /does not know the model/],
    [200, '<html>', /not with a transcript/],
    [429, '{}', /quota/],
  ];
  for (const [status, body, sentence] of cases) {
    await using server = await answering((_, response) => void response.writeHead(status).end(body));
    const env = { SPEECH_BASE_URL: `${server.url}/v1`, SPEECH_API_KEY: PASSWORD };
    assert.match(wrongOf(await look('transcription', env, 'speech')), sentence);
  }
  if (SPEECH_API_KEY)
    assert.match(wrongOf(await look('transcription', { SPEECH_API_KEY: PASSWORD }, 'speech')), /SPEECH_API_KEY/);
});

test('names a clock that differs by more than a minute', async () => {
  await using server = await answering((_, response) => {
    response.sendDate = false;
    response.writeHead(403, { date: new Date(Date.now() - 120_000).toUTCString() }).end();
  });
  const findings = await look('gateway', { S3_ENDPOINT: server.url }, 'object store');
  assert.match(wrongOf(findings), /this machine is 1[12]\d s ahead of the clock of the object store/);
});

test('says what a collector refuses', async () => {
  const statuses = new Map<string, number>();
  await using server = await answering(
    ({ url = '' }, response) => void response.writeHead(statuses.get(url) ?? 200).end(),
  );
  // The exporters read their endpoint from the process's environment.
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = server.url;
  try {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: server.url };
    assert.equal(wrongOf(await look('projects', env, 'collector')), '');
    statuses.set('/v1/traces', 401).set('/v1/metrics', 404);
    const found = wrongOf(await look('projects', env, 'collector'));
    assert.match(found, /refuses traces \(401\): check OTEL_EXPORTER_OTLP_HEADERS/);
    assert.match(found, /does not take metrics there \(404\)/);
  } finally {
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  }
});

test('recognises this gateway at the public address, and a wrong number of proxies', async () => {
  const client = { address: '203.0.113.5', forwardedFor: ['192.0.2.77', '203.0.113.5'] };
  await using gateway = await answering((request, response) => {
    assert.equal(request.headers['x-forwarded-for'], '192.0.2.77');
    response.writeHead(request.url === '/healthz/client' ? 200 : 404).end(JSON.stringify(client));
  });
  await using other = await answering((_, response) => void response.writeHead(200).end('welcome'));
  const at = (url: string, proxies: string) =>
    look('gateway', { PUBLIC_BASE_URL: url, TRUSTED_PROXIES: proxies }, 'public address');
  assert.equal(wrongOf(await at(gateway.url, '1')), '');
  client.address = '192.0.2.77';
  assert.match(wrongOf(await at(gateway.url, '2')), /a client can choose its address: lower TRUSTED_PROXIES/);
  assert.match(wrongOf(await at(other.url, '1')), /not like this gateway/);
});
