import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { loadConfig, StartError } from '@recording-request/kit/config';
import type { Logger } from '@recording-request/kit/log';
import { kafkaVariables } from '@recording-request/kit-kafka/variables';
import { makeAuthority } from '@recording-request/stack/authority';
import { freePort } from '@recording-request/stack/ports';
import type { SecureKafka } from '@recording-request/stack/servers/kafka-secure';
import { openInbox } from '@recording-request/testing/event-inbox';
import { until } from '@recording-request/testing/wait';
import { pino } from 'pino';
import { newEvent } from '../src/event.ts';
import { connectKafka, type Kafka, makeTopics } from '../src/kafka.ts';

const HOST = '127.0.0.1';
const PASSWORD = 'the-password-of-the-service';
const CLIENT_SECRET = 'the-secret-of-the-client';
const authority = await makeAuthority();
const stranger = await makeAuthority();
const secrets = new Set([PASSWORD, CLIENT_SECRET]);

/** Returns the listeners that the tests need. */
export async function secureListeners(): Promise<SecureKafka> {
  const [saslPort, certificatePort] = [await freePort(), await freePort()];
  const users = { service: PASSWORD };
  return { saslPort, certificatePort, ...(await authority.issue([HOST])), ca: authority.cert, users };
}

interface Broker {
  dir: string;
  listeners: SecureKafka;
  env: NodeJS.ProcessEnv;
}

/** Defines the tests of TLS and SASL connections to a running broker. */
export function secureBrokerTests(broker: () => Broker): void {
  const path = (name: string) => join(broker().dir, name);
  const file = async (name: string, content: string) => {
    await writeFile(path(name), content);
    return path(name);
  };
  const overSasl = async (more: NodeJS.ProcessEnv) => ({
    ...broker().env,
    KAFKA_BROKERS: `${HOST}:${broker().listeners.saslPort}`,
    KAFKA_TLS: 'true',
    KAFKA_CA_FILE: await file('ca.pem', authority.cert),
    ...more,
  });
  const scram = async (more: NodeJS.ProcessEnv = {}) =>
    await overSasl({
      KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
      KAFKA_USERNAME: 'service',
      KAFKA_PASSWORD_FILE: await file('password', `${PASSWORD}\n`),
      ...more,
    });

  test('a service works over TLS with SCRAM-SHA-512, its password from a file; PLAIN works too', async () => {
    const env = await scram();
    await using stack = new AsyncDisposableStack();
    const { kafka } = await connected(env, stack);
    await carries(kafka);
    await connected({ ...env, KAFKA_SASL_MECHANISM: 'PLAIN' }, stack);
  });

  test('a rejected connection fails at once with one sentence that names the setting to change, without the secret', async () => {
    const wrong = 'a-password-that-is-wrong';
    secrets.add(wrong);
    const { env } = broker();
    const cases: Array<[NodeJS.ProcessEnv, RegExp]> = [
      [
        await scram({ KAFKA_PASSWORD_FILE: await file('wrong', wrong) }),
        /does not accept the password of service .* KAFKA_PASSWORD/,
      ],
      [await scram({ KAFKA_SASL_MECHANISM: 'SCRAM-SHA-256' }), /does not take KAFKA_SASL_MECHANISM=SCRAM-SHA-256/],
      [
        await scram({ KAFKA_CA_FILE: await file('other.pem', stranger.cert) }),
        /not issued by an authority in KAFKA_CA_FILE/,
      ],
      [
        await scram({ KAFKA_BROKERS: `localhost:${broker().listeners.saslPort}` }),
        /certificate of Kafka is not for the name/,
      ],
      [{ ...(await scram()), KAFKA_TLS: '', KAFKA_CA_FILE: '', KAFKA_BROKERS: env.KAFKA_BROKERS }, /takes no SASL/],
    ];
    for (const [env, sentence] of cases) await isRefused(env, sentence);
  });

  test('a topic with fewer copies than the settings require fails the start with one sentence', async () => {
    const { env } = broker();
    await using stack = new AsyncDisposableStack();
    await connected(env, stack);
    await isRefused(
      { ...env, KAFKA_REPLICATION: '2' },
      /has 1 replica, and KAFKA_REPLICATION asks for 2: add replicas/,
    );
    await isRefused(
      { ...env, KAFKA_MIN_INSYNC_REPLICAS: '2' },
      /has 1 replica, and KAFKA_MIN_INSYNC_REPLICAS asks for 2/,
    );
    const ofMigration = loadConfig({ ...env, KAFKA_REPLICATION: '2' }, kafkaVariables);
    await assert.rejects(makeTopics(ofMigration, { log: recorder().log, report: () => {}, validateOnly: true }), {
      name: 'StartError',
      message: /has 1 replica, and KAFKA_REPLICATION asks for 2/,
    });
    const more = { ...env, KAFKA_TOPIC_PREFIX: 'least.', KAFKA_REPLICATION: '1', KAFKA_MIN_INSYNC_REPLICAS: '1' };
    await carries((await connected(more, stack)).kafka);
  });

  test('a client certificate opens a listener that requires one', async () => {
    const { cert, key } = await authority.issue(['service']);
    const env = {
      ...(await overSasl({})),
      KAFKA_BROKERS: `${HOST}:${broker().listeners.certificatePort}`,
      KAFKA_CERT_FILE: await file('service.pem', cert),
      KAFKA_KEY_FILE: await file('service.key', key),
    };
    await using stack = new AsyncDisposableStack();
    await connected(env, stack);
    const untrusted = await stranger.issue(['service']);
    const theirs = {
      KAFKA_CERT_FILE: await file('their.pem', untrusted.cert),
      KAFKA_KEY_FILE: await file('their.key', untrusted.key),
    };
    await isRefused({ ...env, ...theirs }, /Kafka refuses the certificate of this service/);
  });

  test('a token from an endpoint opens Kafka and is renewed before it expires; a wrong client fails at once', async () => {
    await using endpoint = await tokenEndpoint();
    const env = await overSasl({
      KAFKA_SASL_MECHANISM: 'OAUTHBEARER',
      KAFKA_OAUTH_TOKEN_URL: endpoint.url,
      KAFKA_OAUTH_CLIENT_ID: 'service',
      KAFKA_OAUTH_CLIENT_SECRET_FILE: await file('client-secret', CLIENT_SECRET),
      KAFKA_OAUTH_SCOPE: 'kafka',
    });
    await using stack = new AsyncDisposableStack();
    const { kafka, lines } = await connected(env, stack);
    await carries(kafka);
    const before = endpoint.given();
    await until('the endpoint issues more tokens for open connections', async () => {
      await kafka.publish(failed());
      return endpoint.given() > before + 1;
    });
    assert.ok(!lines().some(line => /session|closed/i.test(line)), `no connection was lost: ${lines()}`);
    secrets.add('not-the-secret');
    const wrong = { KAFKA_OAUTH_CLIENT_SECRET_FILE: '', KAFKA_OAUTH_CLIENT_SECRET: 'not-the-secret' };
    await isRefused({ ...env, ...wrong }, /KAFKA_OAUTH_TOKEN_URL answers 401: .*KAFKA_OAUTH_CLIENT_SECRET/);
  });

  test('a connection uses the token that its file has when it opens', async () => {
    const env = await overSasl({
      KAFKA_SASL_MECHANISM: 'OAUTHBEARER',
      KAFKA_OAUTH_TOKEN_FILE: await file('token', tokenOf(-60)),
    });
    await isRefused(env, /does not accept the token in KAFKA_OAUTH_TOKEN_FILE/);
    await using stack = new AsyncDisposableStack();
    await file('token', `${tokenOf(3_600)}\n`);
    await connected(env, stack);
  });
}

/** Creates the topics, connects, and checks at the end that no secret was logged. */
async function connected(
  env: NodeJS.ProcessEnv,
  stack: AsyncDisposableStack,
): Promise<{ kafka: Kafka; lines(): string[] }> {
  const { log, lines } = recorder();
  const settings = loadConfig(env, kafkaVariables);
  await makeTopics(settings, { log, report: () => {} });
  const kafka = await connectKafka(settings, { clientId: 'service', log });
  stack.defer(async () => {
    await kafka.close();
    hasNoSecret(lines().join('\n'));
  });
  return { kafka, lines };
}

async function isRefused(env: NodeJS.ProcessEnv, sentence: RegExp): Promise<void> {
  const { log, lines } = recorder();
  const begun = performance.now();
  const connecting = connectKafka(loadConfig(env, kafkaVariables), { clientId: 'service', log });
  await assert.rejects(connecting, (error: Error) => {
    assert.ok(error instanceof StartError, `a failure that needs an operator is a StartError: ${inspect(error)}`);
    assert.match(error.message, sentence);
    hasNoSecret(inspect(error, { depth: 10 }) + lines().join('\n'));
    return true;
  });
  assert.ok(performance.now() - begun < 8_000, 'a permanent fault is reported before all retries are used');
}

function hasNoSecret(text: string): void {
  for (const secret of secrets)
    for (const form of [secret, Buffer.from(secret).toString('base64')])
      assert.ok(!text.includes(form), `a log or an error has the secret ${secret}`);
}

async function carries(kafka: Kafka): Promise<void> {
  const inbox = await openInbox(kafka, 'media.events');
  const event = failed();
  await kafka.publish(event);
  await inbox.first(({ id }) => id === event.id);
}

/** Issues tokens that expire after 13 s. By then, Kafka ends a connection that has not presented a new token. */
async function tokenEndpoint() {
  let given = 0;
  const expected = `Basic ${Buffer.from(`service:${CLIENT_SECRET}`).toString('base64')}`;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const form = new URLSearchParams(body);
    const isKnown = request.headers.authorization === expected && form.get('scope') === 'kafka';
    if (request.method !== 'POST' || form.get('grant_type') !== 'client_credentials' || !isKnown) {
      response.writeHead(401).end(JSON.stringify({ error: 'invalid_client', received: request.headers.authorization }));
      return;
    }
    given += 1;
    const token = { access_token: tokenOf(13), token_type: 'Bearer', expires_in: 13 };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(token));
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}/token`,
    given: () => given,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** Returns a token for Kafka's unsecured validator, valid for this many seconds. */
function tokenOf(seconds: number): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { sub: 'service', iat: now - 120, exp: now + seconds };
  const token = [{ alg: 'none' }, claims].map(part => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const value = `${token.join('.')}.`;
  secrets.add(value);
  return value;
}

function recorder(): { log: Logger; lines(): string[] } {
  const lines: string[] = [];
  return { log: pino({ level: 'trace' }, { write: line => void lines.push(line) }), lines: () => lines };
}

const failed = () =>
  newEvent('media.failed', {
    $case: 'mediaFailed',
    value: { projectId: 'p', submissionId: 's', reason: 'r', clipAtFault: true },
  });
