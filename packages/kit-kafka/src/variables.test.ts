import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ConfigError, loadConfig } from '@recording-request/kit/config';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import { objectVariables } from '@recording-request/kit-objects/variables';
import { makeAuthority } from '@recording-request/stack/authority';
import { kafkaVariables } from './variables.ts';

const PASSWORD = 'the-password-of-the-service';
const BROKERS = { KAFKA_BROKERS: 'kafka:9092' };
const SCRAM = {
  ...BROKERS,
  KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
  KAFKA_USERNAME: 'service',
  KAFKA_PASSWORD: PASSWORD,
};
let dir = '';

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'kafka-variables-'));
});
after(() => rm(dir, { recursive: true, force: true }));

async function file(name: string, content: string): Promise<string> {
  await writeFile(join(dir, name), content);
  return join(dir, name);
}

function faultsOf(env: NodeJS.ProcessEnv, spec: Parameters<typeof loadConfig>[1] = kafkaVariables): string[] {
  try {
    loadConfig(env, spec);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    assert.ok(!error.message.includes(PASSWORD), 'a fault never contains the secret');
    return error.faults;
  }
}

test('Kafka without a login needs only its addresses; a login needs the settings of its mechanism', () => {
  assert.deepEqual(faultsOf(BROKERS), []);
  assert.deepEqual(faultsOf(SCRAM), []);
  assert.deepEqual(faultsOf({ ...SCRAM, KAFKA_USERNAME: '', KAFKA_PASSWORD: '' }), [
    'KAFKA_USERNAME is not set, which KAFKA_SASL_MECHANISM=SCRAM-SHA-512 needs',
    'KAFKA_PASSWORD is not set, which KAFKA_SASL_MECHANISM=SCRAM-SHA-512 needs',
  ]);
  assert.match(
    faultsOf({ ...SCRAM, KAFKA_SASL_MECHANISM: 'GSSAPI' })[0]!,
    /^KAFKA_SASL_MECHANISM must be one of PLAIN, /,
  );
  assert.match(faultsOf({ ...BROKERS, KAFKA_PASSWORD: PASSWORD })[0]!, /^KAFKA_PASSWORD is set, but nothing uses it/);
});

test('an invalid port and an invalid topic or database prefix are refused', () => {
  for (const broker of ['kafka:0', 'kafka:99999', 'kafka:65536', 'kafka', '[::1]:70000'])
    assert.match(faultsOf({ KAFKA_BROKERS: broker })[0]!, /^KAFKA_BROKERS .*port from 1 to 65535/, broker);
  for (const broker of ['kafka:1', 'kafka:65535', 'kafka:59999', '[::1]:9092'])
    assert.deepEqual(faultsOf({ KAFKA_BROKERS: broker }), [], broker);
  assert.match(faultsOf({ ...BROKERS, KAFKA_TOPIC_PREFIX: 'a b/' })[0]!, /^KAFKA_TOPIC_PREFIX must be at most 200/);
  assert.deepEqual(faultsOf({ ...BROKERS, KAFKA_TOPIC_PREFIX: 'team-a.' }), []);
  const mongo = { MONGO_URL: 'mongodb://mongo' };
  assert.match(
    faultsOf({ ...mongo, MONGO_DATABASE_PREFIX: 'a.b$' }, mongoVariables)[0]!,
    /^MONGO_DATABASE_PREFIX must be at most 50/,
  );
  assert.deepEqual(faultsOf({ ...mongo, MONGO_DATABASE_PREFIX: 'team_a-' }, mongoVariables), []);
});

test('a secret that others could read is not sent without TLS', () => {
  for (const mechanism of ['PLAIN', 'OAUTHBEARER']) {
    const [fault] = faultsOf({ ...SCRAM, KAFKA_SASL_MECHANISM: mechanism });
    assert.match(fault!, /sends a secret that others could read: set KAFKA_TLS=true$/);
  }
  const bearer = {
    ...BROKERS,
    KAFKA_TLS: 'true',
    KAFKA_SASL_MECHANISM: 'OAUTHBEARER',
    KAFKA_OAUTH_CLIENT_ID: 'service',
  };
  const asks = { ...bearer, KAFKA_OAUTH_CLIENT_SECRET: PASSWORD };
  assert.deepEqual(faultsOf({ ...asks, KAFKA_OAUTH_TOKEN_URL: 'https://tokens.example/token' }), []);
  assert.match(faultsOf({ ...asks, KAFKA_OAUTH_TOKEN_URL: 'http://tokens.example' })[0]!, /must be an https address/);
  assert.match(faultsOf(asks)[0]!, /KAFKA_OAUTH_TOKEN_FILE and KAFKA_OAUTH_TOKEN_URL: set one of them/);
});

test('a secret comes from its variable or from a file, and a fault names the file', async () => {
  const byFile = { ...SCRAM, KAFKA_PASSWORD: '', KAFKA_PASSWORD_FILE: await file('password', `${PASSWORD}\n`) };
  assert.equal(loadConfig(byFile, kafkaVariables).kafkaPassword?.(), PASSWORD);
  assert.deepEqual(faultsOf({ ...byFile, KAFKA_PASSWORD: PASSWORD }), [
    'KAFKA_PASSWORD and KAFKA_PASSWORD_FILE are both set: unset one',
  ]);
  const none = join(dir, 'none');
  assert.deepEqual(faultsOf({ ...byFile, KAFKA_PASSWORD_FILE: none }), [
    `KAFKA_PASSWORD is to come from KAFKA_PASSWORD_FILE, which names ${none}, which cannot be read (ENOENT)`,
  ]);
  const empty = await file('empty', '\n');
  assert.match(faultsOf({ ...byFile, KAFKA_PASSWORD_FILE: empty })[0]!, /which names .*empty, which is empty$/);
});

test('the files of authorities and certificates are checked before any connection', async () => {
  const authority = await makeAuthority();
  const [mine, other] = [await authority.issue(['service']), await authority.issue(['service'])];
  const old = await authority.issue(['service'], { expired: true });
  const tls = { ...BROKERS, KAFKA_TLS: 'true' };
  const cert = await file('cert.pem', mine.cert);
  const pair = { KAFKA_CERT_FILE: cert, KAFKA_KEY_FILE: await file('key.pem', mine.key) };
  assert.deepEqual(faultsOf({ ...tls, ...pair, KAFKA_CA_FILE: await file('ca.pem', authority.cert) }), []);
  const cases: [NodeJS.ProcessEnv, RegExp][] = [
    [{ ...tls, KAFKA_CA_FILE: join(dir, 'none') }, /KAFKA_CA_FILE names .*none, which cannot be read \(ENOENT\)/],
    [
      { ...tls, KAFKA_CA_FILE: await file('text', 'no certificate') },
      /KAFKA_CA_FILE names .*text, which has no PEM certificate/,
    ],
    [{ ...BROKERS, KAFKA_CA_FILE: cert }, /KAFKA_CA_FILE is set, but KAFKA_TLS is not true/],
    [{ ...tls, KAFKA_CERT_FILE: cert }, /KAFKA_KEY_FILE and KAFKA_CERT_FILE belong together/],
    [
      { ...tls, ...pair, KAFKA_KEY_FILE: await file('other.pem', other.key) },
      /has not the key of the certificate in KAFKA_CERT_FILE/,
    ],
    [
      { ...tls, ...pair, KAFKA_CERT_FILE: await file('old.pem', old.cert) },
      /KAFKA_CERT_FILE names .*old.pem, whose certificate expired on/,
    ],
  ];
  for (const [env, sentence] of cases) assert.match(faultsOf(env)[0] ?? 'no fault', sentence);
  const store = { S3_ENDPOINT: 'http://store', S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b', S3_CA_FILE: cert };
  assert.deepEqual(faultsOf(store, objectVariables), ['S3_CA_FILE is set, but S3_ENDPOINT is not an https address']);
});

test('three or more replicas need two in sync by default; a minimum above the number of replicas is refused', () => {
  const least = (env: NodeJS.ProcessEnv) => loadConfig({ ...BROKERS, ...env }, kafkaVariables).kafkaMinInsyncReplicas;
  assert.equal(least({}), -1);
  assert.equal(least({ KAFKA_REPLICATION: '1' }), -1);
  assert.equal(least({ KAFKA_REPLICATION: '3' }), 2);
  assert.equal(least({ KAFKA_REPLICATION: '3', KAFKA_MIN_INSYNC_REPLICAS: '1' }), 1);
  const [fault] = faultsOf({ ...BROKERS, KAFKA_REPLICATION: '2', KAFKA_MIN_INSYNC_REPLICAS: '3' });
  assert.match(fault!, /^KAFKA_MIN_INSYNC_REPLICAS must not be more than KAFKA_REPLICATION, which is 2/);
});

test('a broker is a host and a port', () => {
  for (const brokers of ['kafka:9092', 'a.example.com:1,10.0.0.1:9092', '[::1]:9092'])
    assert.deepEqual(faultsOf({ KAFKA_BROKERS: brokers }), []);
  for (const brokers of ['kafka', 'kafka:9092,other', 'kafka://host:9092'])
    assert.deepEqual(faultsOf({ KAFKA_BROKERS: brokers }), [
      'KAFKA_BROKERS must be host:port, the port from 1 to 65535, several separated by commas',
    ]);
});
