import type { Logger } from '@recording-request/kit/log';
import { type GrpcServer, type Implementation, startGrpcServer } from './grpc-server.ts';
import type { CallersOf } from './internal/authorize.ts';
import type { Internal } from './internal/internal.ts';

export interface Listeners {
  /** The `host:port` for other services, and the `host:port` for the operator. */
  grpcAddress: string;
  operatorAddress: string;
  /** Stops accepting calls, waits up to `graceMs` for the running calls, then ends them. */
  close(graceMs?: number): Promise<void>;
}

export interface ListenersOptions {
  config: { grpcListen: string; operatorListen?: string };
  services: Implementation[];
  internal: Internal;
  /** The callers of each RPC: on the listener for services, and on the listener for the operator. */
  callers: { services: CallersOf; operator: CallersOf };
  log: Logger;
}

/** Starts a listener for the other services and, if it is configured, a listener for the operator. */
export async function startListeners(options: ListenersOptions): Promise<Listeners> {
  const { config, services, internal, callers, log } = options;
  await using starting = new AsyncDisposableStack();
  const serve = async (listen: string, callersOf: CallersOf): Promise<GrpcServer> =>
    starting.adopt(await startGrpcServer({ listen, services, internal, callersOf, log }), server => server.close(0));
  const forServices = await serve(config.grpcListen, callers.services);
  const forOperator = config.operatorListen ? await serve(config.operatorListen, callers.operator) : undefined;
  starting.move();
  return {
    grpcAddress: forServices.address,
    operatorAddress: forOperator?.address ?? '',
    async close(graceMs) {
      await Promise.all([forServices.close(graceMs), forOperator?.close(graceMs)]);
    },
  };
}
