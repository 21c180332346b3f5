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

// What is called does not matter, as long as the other end answers: a refusal comes after the handshake.
const CALL = { objectKey: 'none' };
const CALL_MS = 20_000;

/** Makes new connections between the services, as they would, one after the other. */
export interface Knocking extends AsyncDisposable {
  readonly count: number;
}

/**
 * Calls every process from every service and the operator, each time over a new connection with the caller's files as they are,
 * read again as a service does; what fails breaks the promise. The connections of the services themselves last for minutes.
 */
export async function startKnocking(harness: Harness): Promise<Knocking> {
  const callers = new Map<Caller, Internal>();
  for (const name of EVERYONE) callers.set(name, await openCaller(harness.fleet.certificates.env(name), name));
  let count = 0;
  let goesOn = true;
  const knock = async () => {
    for (const [name, internal] of callers)
      for (const { service, index, grpc, operator, http, ready } of harness.fleet.all()) {
        const address = name === OPERATOR ? operator : grpc;
        if (!goesOn) return;
        if (!ready || !address) continue;
        const failed = (error: unknown) =>
          harness.violated(`${name} could not call ${service}-${index} over a new connection: ${error}`);
        const knocks = [callOnce(internal, service, address)];
        if (http?.startsWith('https') && name === 'gateway') knocks.push(ask(internal, service, http));
        count += knocks.length;
        // One that was stopped in the meantime had no answer to give.
        await Promise.all(knocks).catch(error => harness.fleet.of(service)[index]!.ready && failed(error));
      }
  };
  const loop = (async () => {
    while (goesOn) await knock();
  })();
  return {
    get count() {
      return count;
    },
    async [Symbol.asyncDispose]() {
      goesOn = false;
      await loop;
      for (const internal of callers.values()) internal[Symbol.dispose]();
    },
  };
}

/** Resolves when the server has answered, be it with a refusal. */
async function callOnce(internal: Internal, server: string, address: string): Promise<void> {
  // A pool of its own is a connection of its own.
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

/** The same for the server that takes uploads. */
async function ask(internal: Internal, server: string, url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const peer = internal.tlsPeer(server)!;
  const createConnection = () => connect({ ...peer, host: hostname, port: Number(port), ALPNProtocols: ['http/1.1'] });
  const asked = request({ createConnection, path: '/', signal: AbortSignal.timeout(CALL_MS) }).end();
  const [answer] = await once(asked, 'response');
  answer.destroy();
}

/** Whether a server takes the connection of who has these files. */
export async function isTaken(env: Record<string, string>, server: string, address: string): Promise<boolean> {
  using internal = await openCaller(env, OPERATOR);
  const client = createClient<MediaServiceServer>(MediaServiceService, address, internal.peer(server));
  return await client
    .inspect(CALL, { deadlineMs: 2_000 })
    .then(() => true, isAnswer)
    .finally(() => client.close());
}
