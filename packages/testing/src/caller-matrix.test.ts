/**
 * Calls every RPC on both listeners: with the certificate of every service and of the operator, without a certificate,
 * with an expired certificate, and with a certificate of another authority. Uses the servers' own interceptor and
 * table, with empty handlers.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type ChannelCredentials, Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { DomainError } from '@recording-request/kit/errors';
import { createLogger } from '@recording-request/kit/log';
import { implement } from '@recording-request/kit-rpc/grpc-server';
import { openCaller } from '@recording-request/kit-rpc/internal/internal';
import { type Listeners, startListeners } from '@recording-request/kit-rpc/listeners';
import { AccountsServiceService } from '@recording-request/proto/accounts/v1/accounts';
import { CALLERS, callers, OPERATOR, SERVICES } from '@recording-request/proto/callers';
import { ExportsServiceService } from '@recording-request/proto/exports/v1/exports';
import { MediaServiceService } from '@recording-request/proto/media/v1/media';
import { ProjectsOperatorServiceService } from '@recording-request/proto/operator/v1/projects';
import { SubmissionsOperatorServiceService } from '@recording-request/proto/operator/v1/submissions';
import { WebhooksOperatorServiceService } from '@recording-request/proto/operator/v1/webhooks';
import { ProjectsServiceService } from '@recording-request/proto/projects/v1/projects';
import { SubmissionsServiceService } from '@recording-request/proto/submissions/v1/submissions';
import { WebhooksServiceService } from '@recording-request/proto/webhooks/v1/webhooks';
import { WorkServiceService } from '@recording-request/proto/work/v1/work';
import { makeCertificates } from '@recording-request/stack/certificates';
import { everyServiceEnv, testCertificates } from './test-certificates.ts';

const DEFINITIONS = [
  ...[AccountsServiceService, ProjectsServiceService, SubmissionsServiceService, ExportsServiceService],
  ...[WebhooksServiceService, MediaServiceService, WorkServiceService],
  ...[ProjectsOperatorServiceService, SubmissionsOperatorServiceService, WebhooksOperatorServiceService],
];
const RPCS = DEFINITIONS.flatMap(definition => Object.values(definition)).map(({ path, responseStream }) => ({
  path,
  responseStream,
}));
const DEADLINE_MS = 60_000;
const REACHED = 'the handler was reached';

let served: Listeners;
const opened = new AsyncDisposableStack();
before(async () => {
  const internal = opened.use(await openCaller(await everyServiceEnv(), 'projects'));
  const services = DEFINITIONS.map(definition => implement(definition, idle(definition) as never));
  const config = { grpcListen: '127.0.0.1:0', operatorListen: '127.0.0.1:0' };
  const log = createLogger('test', 'silent');
  served = opened.adopt(await startListeners({ config, services, internal, callers, log }), each => each.close(0));
});
after(() => opened.disposeAsync());

const idle = (definition: object) =>
  Object.fromEntries(
    Object.entries(definition as Record<string, { responseStream: boolean }>).map(([name, { responseStream }]) => {
      const reached = () => {
        throw new DomainError('gone', REACHED);
      };
      return [
        name,
        responseStream
          ? async function* () {
              yield reached();
            }
          : async () => reached(),
      ];
    }),
  );

async function credentialsOf(env: Record<string, string>): Promise<ChannelCredentials> {
  const files = [env.TLS_CA_FILE!, env.TLS_KEY_FILE!, env.TLS_CERT_FILE!].map(file => readFile(file));
  const [ca, key, cert] = await Promise.all(files);
  return credentials.createSsl(ca, key, cert, { checkServerIdentity: () => undefined });
}

type Outcome = 'reached' | 'refused' | 'no connection';

/** Calls every RPC at `address`. */
async function outcomes(address: string, as: ChannelCredentials, name: string): Promise<Map<string, Outcome>> {
  // A TLS handshake cannot name an IP address.
  const client = new Client(address, as, { 'grpc.ssl_target_name_override': 'any' });
  const found = await Promise.all(
    RPCS.map(async ({ path, responseStream }) => {
      const error = await failure(client, path, responseStream);
      if (error.details === REACHED) return [path, 'reached'] as const;
      if (error.code === status.UNAVAILABLE) return [path, 'no connection'] as const;
      assert.deepEqual(
        [error.code, error.details],
        [status.PERMISSION_DENIED, `${name} may not call ${path} on this port.`],
      );
      return [path, 'refused'] as const;
    }),
  );
  client.close();
  return new Map(found);
}

function failure(client: Client, path: string, responseStream: boolean): Promise<ServiceError> {
  const nothing = () => Buffer.alloc(0);
  const options = { deadline: Date.now() + DEADLINE_MS };
  return new Promise((resolve, reject) => {
    if (!responseStream) {
      client.makeUnaryRequest(path, nothing, nothing, {}, options, error => (error ? resolve(error) : reject(path)));
      return;
    }
    const stream = client.makeServerStreamRequest(path, nothing, nothing, {}, options);
    stream
      .on('error', error => resolve(error as ServiceError))
      .on('end', () => reject(path))
      .resume();
  });
}

const tally = (all: Map<string, Outcome>): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const each of all.values()) counts[each] = (counts[each] ?? 0) + 1;
  return counts;
};

test('every RPC is in the matrix', () =>
  assert.deepEqual(RPCS.map(({ path }) => path).sort(), Object.keys(CALLERS).sort()));

for (const name of [...SERVICES, OPERATOR] as const)
  test(`the certificate of ${name} reaches the RPCs in its lines, on its listener, and no other`, async t => {
    const as = await credentialsOf((await testCertificates()).env(name));
    const mine = RPCS.map(({ path }) => path).filter(path => CALLERS[path]!.includes(name));
    for (const listener of ['services', 'operator'] as const) {
      const found = await outcomes(listener === 'services' ? served.grpcAddress : served.operatorAddress, as, name);
      const reached = [...found].filter(([, outcome]) => outcome === 'reached').map(([path]) => path);
      assert.deepEqual(
        reached,
        (name === OPERATOR) === (listener === 'operator') ? mine : [],
        `on the listener for ${listener}`,
      );
      assert.ok(![...found.values()].includes('no connection'));
      t.diagnostic(`${name} on the listener for ${listener}: ${JSON.stringify(tally(found))}`);
    }
  });

test('without a certificate, with an expired one, or with one of another authority the connection fails', async t => {
  await using scratch = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'other-authority-'));
  scratch.defer(() => rm(dir, { recursive: true, force: true }));
  const ours = await testCertificates();
  const ca = await readFile(ours.env(OPERATOR).TLS_CA_FILE!);
  const other = (await makeCertificates(dir)).env(OPERATOR);
  const strangers = {
    'no certificate': credentials.createSsl(ca, null, null, { checkServerIdentity: () => undefined }),
    plaintext: credentials.createInsecure(),
    'an expired one': await credentialsOf(await ours.issue('expired', [...SERVICES, OPERATOR], { expired: true })),
    'one of another authority': await credentialsOf({ ...other, TLS_CA_FILE: ours.env(OPERATOR).TLS_CA_FILE! }),
  };
  for (const [what, as] of Object.entries(strangers))
    for (const address of [served.grpcAddress, served.operatorAddress]) {
      const found = await outcomes(address, as, what);
      assert.deepEqual(tally(found), { 'no connection': RPCS.length }, what);
      t.diagnostic(`${what}: ${JSON.stringify(tally(found))}`);
    }
});

test('the certificate of webhooks cannot create tokens or erase data', () => {
  const dangerous = RPCS.map(({ path }) => path).filter(path => /Token$|Erase|CreateUser|SetAllowance/.test(path));
  assert.ok(dangerous.length >= 10);
  for (const path of dangerous) assert.ok(!CALLERS[path]!.includes('webhooks'), path);
});
