import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:tls';
import type { DomainError } from '@recording-request/kit/errors';
import { createClient, isUnimplemented, refusalOf } from '@recording-request/kit-rpc/grpc-client';
import { type Internal, openCaller } from '@recording-request/kit-rpc/internal/internal';
import { type Caller, OPERATOR } from '@recording-request/proto/callers';
import { type MediaServiceServer, MediaServiceService } from '@recording-request/proto/media/v1/media';
import type { Harness } from '../harness/harness.ts';
import { EVERYONE } from './mounted-certificates.ts';

// The probe may send any call: a refusal comes after the handshake, so it also shows that the handshake succeeded.
const CALL = { objectKey: 'none' };
const CALL_MS = 20_000;

/** Repeated calls over new connections between the services. */
export interface ConnectionProbes extends AsyncDisposable {
  readonly count: number;
}

/**
 * Calls every process from every service and from the operator, each time over a new connection with the caller's
 * current files. Reports each failure as a violation. The services' own connections last for minutes, so they would not
 * test new certificates.
 */
export async function startConnectionProbes(harness: Harness): Promise<ConnectionProbes> {
  const callers = new Map<Caller, Internal>();
  for (const name of EVERYONE) callers.set(name, await openCaller(harness.fleet.certificates.env(name), name));
  let count = 0;
  let running = true;
  const probeAll = async () => {
    for (const [name, internal] of callers)
      for (const { service, index, grpc, operator, http, ready } of harness.fleet.all()) {
        const address = name === OPERATOR ? operator : grpc;
        if (!running) return;
        if (!ready || !address) continue;
        const failed = (error: unknown) =>
          harness.violated(`${name} could not call ${service}-${index} over a new connection: ${error}`);
        const calls = [callOnce(internal, service, address)];
        if (http?.startsWith('https') && name === 'gateway') calls.push(ask(internal, service, http));
        count += calls.length;
        // Ignores a failure if the process was stopped during the call.
        await Promise.all(calls).catch(error => harness.fleet.of(service)[index]!.ready && failed(error));
      }
  };
  const loop = (async () => {
    while (running) await probeAll();
  })();
  return {
    get count() {
      return count;
    },
    async [Symbol.asyncDispose]() {
      running = false;
      await loop;
      for (const internal of callers.values()) internal[Symbol.dispose]();
    },
  };
}

/** Resolves when the server has responded, even with a refusal. */
async function callOnce(internal: Internal, server: string, address: string): Promise<void> {
  // A new pool of connections guarantees a new connection.
  const options = { slowReaders: { windowBytes: 65_536 } };
  const client = createClient<MediaServiceServer>(MediaServiceService, address, internal.peer(server), options);
  try {
    await client.inspect(CALL, { deadlineMs: CALL_MS });
  } catch (error) {
    if (!isAnswer(error)) throw (error as DomainError).cause ?? error;
  } finally {
    client.close();
  }
}

const isAnswer = (error: unknown): boolean =>
  refusalOf(error) !== undefined || isUnimplemented(error) || (error as DomainError).code === 'not_found';

/** Sends a request to the upload server. Resolves when the server has responded, even with a refusal. */
async function ask(internal: Internal, server: string, url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const peer = internal.tlsPeer(server)!;
  const createConnection = () => connect({ ...peer, host: hostname, port: Number(port), ALPNProtocols: ['http/1.1'] });
  const sent = request({ createConnection, path: '/', signal: AbortSignal.timeout(CALL_MS) }).end();
  const [answer] = await once(sent, 'response');
  answer.destroy();
}

/** Returns true if a server accepts a connection with these files. */
export async function isAccepted(env: Record<string, string>, server: string, address: string): Promise<boolean> {
  using internal = await openCaller(env, OPERATOR);
  const client = createClient<MediaServiceServer>(MediaServiceService, address, internal.peer(server));
  return await client
    .inspect(CALL, { deadlineMs: 2_000 })
    .then(() => true, isAnswer)
    .finally(() => client.close());
}
