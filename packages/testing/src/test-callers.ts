import { type ClientOf, type ClientOptions, createClient } from '@recording-request/kit-rpc/grpc-client';
import { type Internal, openCaller, PLAINTEXT } from '@recording-request/kit-rpc/internal/internal';
import { CALLERS, type Caller, OPERATOR } from '@recording-request/proto/callers';
import type { ServiceName } from '@recording-request/stack/service-plan';
import { testCertificates } from './test-certificates.ts';

type Methods = Record<string, { path: string }>;

/** Every service and the operator, as callers of the service under test. */
export interface TestCallers extends Disposable {
  as(caller: Caller): Internal;
  /** Returns a client that makes each call as the first permitted caller, on that caller's listener. */
  client<S>(
    definition: object,
    server: ServiceName,
    addresses: { services: string; operator: string },
    options?: ClientOptions,
  ): ClientOf<S>;
}

/** Opens the callers' certificates, unless `env` sets plaintext. */
export async function openTestCallers(env: NodeJS.ProcessEnv = {}): Promise<TestCallers> {
  using opened = new DisposableStack();
  const certificates = env.INTERNAL_PLAINTEXT === 'true' ? undefined : await testCertificates();
  const internals = new Map<Caller, Internal>();
  for (const caller of new Set(Object.values(CALLERS).flat()))
    internals.set(caller, certificates ? opened.use(await openCaller(certificates.env(caller), caller)) : PLAINTEXT);
  const kept = opened.move();
  const as = (caller: Caller): Internal => internals.get(caller)!;
  return {
    as,
    client<S>(
      definition: object,
      server: ServiceName,
      addresses: { services: string; operator: string },
      options = {},
    ) {
      const clients = new Map<Caller, Record<string, unknown>>();
      const make = (caller: Caller) => {
        const address = caller === OPERATOR ? addresses.operator : addresses.services;
        return createClient(definition, address, as(caller).peer(server), options) as Record<string, unknown>;
      };
      const clientOf = (caller: Caller) => {
        const client = clients.get(caller) ?? make(caller);
        clients.set(caller, client);
        return client;
      };
      const close = () => {
        for (const client of clients.values()) (client as { close(): void }).close();
      };
      const methods = Object.entries(definition as Methods).map(([name, { path }]) => [
        name,
        clientOf(CALLERS[path]![0]!)[name],
      ]);
      const connected = async () => {};
      return { ...Object.fromEntries(methods), connected, close } as ClientOf<S>;
    },
    [Symbol.dispose]: () => kept.dispose(),
  };
}
