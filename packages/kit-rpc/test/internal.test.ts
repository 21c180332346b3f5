import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import type { DomainError } from '@recording-request/kit/errors';
import { createLogger } from '@recording-request/kit/log';
import { type MediaServiceServer, MediaServiceService } from '@recording-request/proto/media/v1/media';
import { type MachineCertificates, makeCertificates } from '@recording-request/stack/certificates';
import { makeDeployedCertificates } from '@recording-request/stack/make-certificates';
import { until } from '@recording-request/testing/wait';
import { createClient, refusalOf } from '../src/grpc-client.ts';
import { implement, startGrpcServer } from '../src/grpc-server.ts';
import { startHealth } from '../src/health.ts';
import { createInternalServer, isFrom } from '../src/internal/http.ts';
import { openCaller } from '../src/internal/internal.ts';

const log = createLogger('test', 'silent');
const PATH = '/recording.media.v1.MediaService/Inspect';
const LOOK = { objectKey: 'x' };
let dir: string;
let ours: MachineCertificates;
let theirs: MachineCertificates;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'kit-internal-'));
  ours = await makeCertificates(join(dir, 'ours'));
  theirs = await makeCertificates(join(dir, 'theirs'));
});
after(() => rm(dir, { recursive: true, force: true }));

// The deadline of calls that get no connection.
const SHORT_DEADLINE = { deadlineMs: 700 };
const plaintext = { INTERNAL_PLAINTEXT: 'true' };

async function serve(
  env: NodeJS.ProcessEnv,
  callersOf: (path: string) => string[] = () => ['submissions'],
  { inspect = async () => ({}), ...options }: { lookMs?: number; inspect?: () => Promise<object> } = {},
) {
  const internal = await openCaller(env, 'media', options);
  const services = [implement<MediaServiceServer>(MediaServiceService, { inspect })];
  const server = await startGrpcServer({ listen: '127.0.0.1:0', log, internal, callersOf, services });
  return {
    address: server.address,
    internal,
    close: server.close,
    async [Symbol.asyncDispose]() {
      await server.close(500);
      internal[Symbol.dispose]();
    },
  };
}

/** Makes one call on its own connection. Returns `ok`, the refusal, or the code of the failure. */
async function outcome(
  address: string,
  env: NodeJS.ProcessEnv,
  name: string,
  { server = 'media', deadlineMs = 60_000 } = {},
): Promise<string> {
  using internal = await openCaller(env, name);
  const client = createClient<MediaServiceServer>(MediaServiceService, address, internal.peer(server));
  try {
    await client.inspect(LOOK, { deadlineMs });
    return 'ok';
  } catch (error) {
    return refusalOf(error) ?? (error as DomainError).code;
  } finally {
    client.close();
  }
}

test('a caller in the table is served; another is refused in a sentence that names it and the RPC', async () => {
  await using served = await serve(ours.env('media'));
  assert.equal(await outcome(served.address, ours.env('submissions'), 'submissions'), 'ok');
  const refusal = `webhooks may not call ${PATH} on this port.`;
  assert.equal(await outcome(served.address, ours.env('webhooks'), 'webhooks'), refusal);
});

test('an RPC that is not in the table is refused to every caller', async () => {
  await using served = await serve(ours.env('media'), () => []);
  assert.match(await outcome(served.address, ours.env('submissions'), 'submissions'), /submissions may not call/);
  await using open = await serve(plaintext, () => []);
  assert.match(await outcome(open.address, plaintext, 'submissions'), /A caller without a certificate may not call/);
});

test('users do not see the sentence of a refusal, only that something went wrong', async () => {
  await using served = await serve(ours.env('media'));
  using internal = await openCaller(ours.env('webhooks'), 'webhooks');
  const client = createClient<MediaServiceServer>(MediaServiceService, served.address, internal.peer('media'));
  await assert.rejects(client.inspect(LOOK), { code: 'internal', message: /went wrong on our side/ });
  client.close();
});

test('the handshake fails without a certificate and with one of another authority', async () => {
  await using served = await serve(ours.env('media'));
  assert.equal(await outcome(served.address, theirs.env('submissions'), 'submissions', SHORT_DEADLINE), 'timeout');
  assert.equal(await outcome(served.address, plaintext, 'submissions', SHORT_DEADLINE), 'timeout');
});

test('a client rejects a server with the certificate of another name or another authority', async () => {
  await using served = await serve(ours.env('media'));
  assert.equal(
    await outcome(served.address, ours.env('submissions'), 'submissions', { ...SHORT_DEADLINE, server: 'projects' }),
    'timeout',
  );
  await using foreign = await serve(theirs.env('media'));
  assert.equal(await outcome(foreign.address, ours.env('submissions'), 'submissions', SHORT_DEADLINE), 'timeout');
});

test('a stop waits for running calls', async () => {
  const began = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  await using served = await serve(ours.env('media'), undefined, {
    async inspect() {
      began.resolve();
      await finish.promise;
      return {};
    },
  });
  const call = outcome(served.address, ours.env('submissions'), 'submissions');
  await began.promise;
  let isClosed = false;
  const closed = served.close(60_000).then(() => {
    isClosed = true;
  });
  // New connections are refused once the stop has begun.
  await until('no new call is accepted', async () => {
    const { hostname, port } = new URL(`tcp://${served.address}`);
    const socket = connect(Number(port), hostname);
    return await once(socket, 'connect').then(
      () => void socket.destroy(),
      () => true,
    );
  });
  assert.equal(isClosed, false, 'the call still runs');
  finish.resolve();
  assert.equal(await call, 'ok', 'a call that ran at the start of the stop is answered');
  await closed;
});

// A stop must not wait for connections without a handshake, which the server itself closes only after two minutes.
test('a stop ends the calls that exceed its grace time, and waits for no idle connection', {
  timeout: 60_000,
}, async () => {
  const began = Promise.withResolvers<void>();
  await using served = await serve(ours.env('media'), undefined, {
    inspect() {
      began.resolve();
      return new Promise(() => {});
    },
  });
  const { hostname, port } = new URL(`tcp://${served.address}`);
  const silent = connect(Number(port), hostname);
  silent.on('error', () => {});
  await once(silent, 'connect');
  const call = outcome(served.address, ours.env('submissions'), 'submissions', SHORT_DEADLINE);
  await began.promise;
  await served.close(50);
  assert.notEqual(await call, 'ok');
  silent.destroy();
});

test('certificates, and then the authority behind them, are replaced under load without a failed call', async () => {
  const made = join(dir, 'made');
  await makeDeployedCertificates(made);
  const filesOf = (name: string) => ['tls.crt', 'tls.key', 'ca.crt'].map(file => join(made, name, file));
  const envOf = (name: string) => {
    const [TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE] = filesOf(name);
    return { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE };
  };
  const lookMs = 10;
  const first = join(dir, 'first');
  await cp(join(made, 'submissions'), first, { recursive: true });
  await using served = await serve(envOf('media'), undefined, { lookMs });
  using internal = await openCaller(envOf('submissions'), 'submissions', { lookMs });
  const client = createClient<MediaServiceServer>(MediaServiceService, served.address, internal.peer('media'));
  const failures: unknown[] = [];
  let calls = 0;
  let overNewConnections = 0;
  let running = true;
  const call = async (as: typeof client) => {
    calls += 1;
    await as.inspect(LOOK, { deadlineMs: 60_000 }).catch(error => failures.push(error));
  };
  const callOnNewConnection = async () => {
    // A separate pool makes a separate connection.
    const options = { slowReaders: { windowBytes: 65_536 } };
    const once = createClient<MediaServiceServer>(MediaServiceService, served.address, internal.peer('media'), options);
    await call(once);
    overNewConnections += 1;
    once.close();
  };
  const load = Array.from({ length: 4 }, async (_, at) => {
    while (running) await (at === 0 ? callOnNewConnection() : call(client));
  });
  for (const step of ['certificates', 'add-authority', 'certificates', 'drop-authority'] as const) {
    await makeDeployedCertificates(made, step);
    for (const [name, end] of [
      ['media', served.internal],
      ['submissions', internal],
    ] as const) {
      const wanted = await Promise.all(filesOf(name).map(file => readFile(file, 'utf8')));
      await until(`${name} has the certificate in its files`, () => {
        const { cert, key, ca } = end.certificates!.current;
        return `${[cert, key, ca]}` === `${wanted}`;
      });
    }
    const soFar = overNewConnections;
    await until('new connections use it', () => overNewConnections > soFar + 3, { limitMs: 60_000 });
  }
  running = false;
  await Promise.all(load);
  client.close();
  assert.deepEqual(failures, [], `${failures.length} of ${calls} calls failed`);
  const [TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE] = ['tls.crt', 'tls.key', 'ca.crt'].map(file => join(first, file));
  const gone = await outcome(
    served.address,
    { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE },
    'submissions',
    SHORT_DEADLINE,
  );
  assert.equal(gone, 'timeout', 'the previous authority is no longer trusted');
});

test('HTTP between services identifies the caller and refuses plaintext', async () => {
  using internal = await openCaller(ours.env('submissions'), 'submissions');
  const server = createInternalServer(internal, (incoming, response) =>
    response.end(isFrom(incoming, ['gateway'], internal) ? 'yes' : 'no'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = async (createConnection: () => ReturnType<typeof connect>) => {
    const requested = request({ createConnection, path: '/' }).end();
    const [answer] = await once(requested, 'response');
    return (await answer.toArray()).join('');
  };
  const as = async (name: string) => {
    using caller = await openCaller(ours.env(name as 'gateway'), name);
    return await ask(() => connectTls({ host: '127.0.0.1', port, ...caller.tlsPeer('submissions')! }));
  };
  assert.equal(await as('gateway'), 'yes');
  assert.equal(await as('webhooks'), 'no');
  assert.equal(await ask(() => connect(port, '127.0.0.1')).catch(() => 'refused'), 'refused');
  server.closeAllConnections();
  server.close();
});

test('only health checks are answered in plaintext', async () => {
  const health = await startHealth('127.0.0.1:0');
  try {
    assert.equal(await outcome(health.address, plaintext, 'submissions'), 'internal');
  } finally {
    await health.close();
  }
});
