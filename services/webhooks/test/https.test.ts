import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startReceiver } from '@recording-request/harness/webhook-receiver';
import { uuidv7 } from '@recording-request/kit/ids';
import { type Certificate, makeAuthority, makeSelfSigned } from '@recording-request/stack/authority';
import { until } from '@recording-request/testing/wait';
import type { Attempt } from '../src/domain/delivery.ts';
import { completed, startTestWebhooks, submission, type TestWebhooks } from './test-service.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const authority = await makeAuthority();
const stranger = await makeAuthority();

let harness: TestWebhooks;
let service: ChildProcess;
let dir: string;
const servers: Array<Server> = [];

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'webhooks-https-'));
  const trusted = join(dir, 'authority.pem');
  await writeFile(trusted, authority.cert);
  // Allows only https, as in production. Unlike in production, the receiver is on this machine.
  harness = await startTestWebhooks({ ALLOW_HTTP_URLS: 'false', WEBHOOK_ATTEMPT_TIMEOUT_MS: '8000' });
  // A process reads its trusted certificates when it starts, so the service in this process must not send.
  await harness.service.stop();
  service = spawn(process.execPath, [MAIN], {
    env: { ...harness.env, NODE_EXTRA_CA_CERTS: trusted },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
});
after(async () => {
  service?.kill('SIGKILL');
  for (const server of servers) server.close();
  await harness?.[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

const listening = async (server: Server): Promise<number> => {
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

/** Sends one event to `url` and returns its first attempt from the ledger. */
async function firstAttempt(url: string): Promise<Attempt> {
  const projectId = uuidv7();
  harness.setTarget(projectId, url);
  const event = completed(submission(projectId));
  await harness.kafka.publish(event);
  const ledger = harness.mongo.collection<{ _id: string; attempts: Attempt[] }>('deliveries');
  return await until('the first attempt was made', async () => (await ledger.findOne({ _id: event.id }))?.attempts[0], {
    limitMs: 30_000,
  });
}

test('a receiver with a trusted certificate gets its events, by name and by address', async () => {
  await using receiver = await startReceiver({ certificate: await authority.issue(['localhost', '127.0.0.1']) });
  for (const host of ['localhost', '127.0.0.1']) {
    const { statusCode, error } = await firstAttempt(`https://${host}:${receiver.port}/hook`);
    assert.deepEqual([statusCode, error], [204, '']);
  }
  assert.equal(receiver.received.length, 2);
});

const BAD: Array<[what: string, certificate: () => Promise<Certificate>, words: string]> = [
  ['expired', () => authority.issue(['localhost'], { expired: true }), 'the certificate has expired'],
  ['for another name', () => authority.issue(['other.example']), 'the certificate is for another name'],
  ['for another address', () => authority.issue(['10.1.2.3']), 'the certificate is for another name'],
  ['signed by itself', () => makeSelfSigned(['localhost']), 'the certificate is not trusted'],
  ['of an unknown authority', () => stranger.issue(['localhost']), 'the certificate is not trusted'],
];
for (const [what, certificate, words] of BAD)
  test(`a certificate that is ${what} gets no event, and the ledger says why`, async () => {
    await using receiver = await startReceiver({ certificate: await certificate() });
    const { statusCode, error } = await firstAttempt(`https://localhost:${receiver.port}/hook`);
    assert.deepEqual([statusCode, error], [0, words]);
    assert.equal(receiver.received.length, 0);
  });

test('a port that does not speak TLS gets no event, and the ledger says why', async () => {
  const port = await listening(
    createServer(socket => void socket.on('error', () => {}).end('HTTP/1.1 400 no\r\n\r\n')),
  );
  const { statusCode, error } = await firstAttempt(`https://localhost:${port}/hook`);
  assert.deepEqual([statusCode, error], [0, 'no secure connection could be made']);
});

test('an attempt at a port that accepts and sends nothing ends at the time limit', async () => {
  const port = await listening(createServer(socket => void socket.on('error', () => {}).resume()));
  const { statusCode, error } = await firstAttempt(`https://localhost:${port}/hook`);
  assert.deepEqual([statusCode, error], [0, 'no whole answer within 8 s']);
});

test('plain http is refused where only https is allowed', async () => {
  const { error } = await firstAttempt('http://localhost:1/hook');
  assert.equal(error, 'the address is not https');
});
