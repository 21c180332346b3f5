import type { EventEmitter } from 'node:events';
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  Server,
  type ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type ServiceError,
  type sendUnaryData,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { type CallScope, callScope } from '@recording-request/kit/call-scope';
import { asDomainError, DomainError, grpcStatusOf } from '@recording-request/kit/errors';
import type { Logger } from '@recording-request/kit/log';
import { durationOf, secondsSince } from '@recording-request/kit-telemetry/metrics';
import { idsOf, noteSubject } from '@recording-request/kit-telemetry/subject';
import { authorize, type CallersOf } from './internal/authorize.ts';
import type { Internal } from './internal/internal.ts';
import { inCall, rpcSpan } from './rpc-spans.ts';

/** The second argument of a handler. */
export interface CallContext {
  /** Fires when the caller disconnects or its deadline passes. */
  signal: AbortSignal;
  log: Logger;
}

/** The handlers of a generated `…Server` interface: a promise for a unary call, an async iterable for a stream. */
export type Handlers<S> = {
  [K in keyof S as string extends K ? never : K]: S[K] extends handleUnaryCall<infer Q, infer R>
    ? (request: Q, context: CallContext) => Promise<R>
    : S[K] extends handleServerStreamingCall<infer Q, infer R>
      ? (request: Q, context: CallContext) => AsyncIterable<R>
      : never;
};

export interface GrpcServer {
  /** `host:port`, with the port that was really bound. */
  address: string;
  /** Accepts no more calls, waits up to `graceMs` for the running calls, then ends them. */
  close(graceMs?: number): Promise<void>;
}

export const MESSAGE_BYTES = 32 * 1024 * 1024;
// With the default of 64 KiB, a stream sends pages of 150 KB at only two thirds of the rate.
const FLOW_CONTROL_WINDOW_BYTES = 4 * 1024 * 1024;

export const channelOptions = {
  'grpc.max_receive_message_length': MESSAGE_BYTES,
  'grpc.max_send_message_length': MESSAGE_BYTES,
  'grpc-node.flow_control_window': FLOW_CONTROL_WINDOW_BYTES,
};

type AnyHandler = (request: unknown, context: CallContext) => Promise<unknown> | AsyncIterable<unknown>;

// Within this time, a new replica gets its share of calls. Replacing a connection of this age takes milliseconds.
const CONNECTION_AGE_MS = 20_000;

export interface Implementation {
  definition: ServiceDefinition;
  handlers: Record<string, AnyHandler>;
}

/** Binds handlers to a generated service definition. */
export function implement<S>(definition: unknown, handlers: Handlers<S>): Implementation {
  return { definition: definition as ServiceDefinition, handlers: handlers as unknown as Implementation['handlers'] };
}

/**
 * Serves `services` on `listen` (`host:port`; port 0 takes a free port) to the callers that `callersOf` names for each
 * RPC.
 */
export async function startGrpcServer(options: {
  listen: string;
  services: Implementation[];
  internal: Internal;
  callersOf: CallersOf;
  log: Logger;
}): Promise<GrpcServer> {
  const { listen, services, internal, callersOf, log } = options;
  const server = new Server({
    ...channelOptions,
    // A client resolves a name again only when a connection ends. So without this maximum age, a new replica would get
    // no calls. Running calls continue after this age; grpc-client.ts explains why clients send no pings during them.
    'grpc.max_connection_age_ms': CONNECTION_AGE_MS,
    interceptors: [authorize(callersOf, internal.certificates === undefined, log)],
  });
  for (const { definition, handlers } of services) {
    const bound: UntypedServiceImplementation = {};
    for (const [name, method] of Object.entries(definition)) {
      const handler = handlers[name];
      if (!handler) throw new Error(`${method.path} has no handler`);
      bound[name] = method.responseStream ? streaming(method.path, handler, log) : unary(method.path, handler, log);
    }
    server.addService(definition, bound);
  }
  const port = await bind(server, listen, internal.serverCredentials());
  return { address: addressOf(listen, port), close: (graceMs = 10_000) => shutDown(server, graceMs) };
}

/** Binds the server. Returns the port. */
export const bind = (server: Server, listen: string, credentials: ServerCredentials): Promise<number> =>
  new Promise((resolve, reject) =>
    server.bindAsync(listen, credentials, (error, port) => (error ? reject(error) : resolve(port))),
  );

export const addressOf = (listen: string, port: number): string =>
  `${listen.slice(0, listen.lastIndexOf(':'))}:${port}`;

/**
 * Waits up to `graceMs` for running calls, then ends them. Ignores connections that have not finished the gRPC
 * handshake.
 */
export function shutDown(server: Server, graceMs: number): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, graceMs);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

type AnyCall = ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown>;

interface Scope extends CallScope {
  /**
   * Marks the end of the handler. After this, a cancellation has no effect, and work that still runs has no deadline.
   */
  end(): void;
}

function scopeOf(call: AnyCall): Scope {
  const gone = new AbortController();
  let isOver = false;
  // @grpc/grpc-js reports a cancellation for every closed stream, even after a response.
  (call as EventEmitter).on('cancelled', () => {
    if (!isOver) gone.abort(new DomainError('cancelled', 'The caller went away.'));
  });
  const deadline = call.getDeadline();
  const scope: Scope = {
    signal: gone.signal,
    deadlineAt: deadline instanceof Date ? deadline.getTime() : deadline,
    end() {
      isOver = true;
      scope.deadlineAt = Number.POSITIVE_INFINITY;
    },
  };
  return scope;
}

const callDuration = durationOf('rpc.server.call.duration');

/** Records the end of a call with the status of its error, or with OK. */
type RecordEnd = (code?: status, failure?: DomainError) => void;

/**
 * Returns a function that records each call of the RPC with this path: it logs a line at the end of the call, and
 * measures the duration.
 */
function callRecorder(path: string, log: Logger): (request: unknown) => RecordEnd {
  const rpc = path.slice(1);
  return request => {
    const startedAt = performance.now();
    return (code = status.OK, failure = undefined) => {
      const seconds = secondsSince(startedAt);
      const word = status[code] ?? 'UNKNOWN';
      callDuration(seconds, { 'rpc.method': rpc, 'rpc.status_code': word });
      const level = levelOf(failure);
      if (!log.isLevelEnabled(level)) return;
      const err = failure?.code === 'internal' ? (failure.cause ?? failure) : failure?.cause;
      const about = { rpc, status: word, ms: Math.round(seconds * 1_000), ...idsOf(request) };
      log[level]({ ...about, ...(err !== undefined && { err }) }, failure?.message ?? 'An RPC has ended');
    };
  };
}

/** A caller's mistake is only returned to the caller; the gateway logs the status of the request. */
function levelOf(failure: DomainError | undefined): 'debug' | 'warn' | 'error' {
  if (failure?.code === 'internal') return 'error';
  return failure?.code === 'unavailable' || failure?.code === 'timeout' ? 'warn' : 'debug';
}

function unary(path: string, handler: AnyHandler, log: Logger) {
  const span = rpcSpan(path);
  const recordCall = callRecorder(path, log);
  return (call: ServerUnaryCall<unknown, unknown>, reply: sendUnaryData<unknown>) =>
    inCall(span, call.metadata, endSpan => {
      const scope = scopeOf(call);
      const recordEnd = recordCall(call.request);
      noteSubject(call.request);
      callScope
        .run(
          scope,
          async (): Promise<unknown> =>
            await (handler(call.request, { signal: scope.signal, log }) as Promise<unknown>),
        )
        .then(
          answer => {
            scope.end();
            recordEnd();
            noteSubject(answer);
            endSpan();
            reply(null, answer);
          },
          error => {
            scope.end();
            const domain = asDomainError(error);
            const refusal = toServiceError(domain);
            recordEnd(refusal.code, domain);
            endSpan(refusal);
            reply(refusal);
          },
        );
    });
}

function streaming(path: string, handler: AnyHandler, log: Logger) {
  const span = rpcSpan(path);
  const recordCall = callRecorder(path, log);
  return (call: ServerWritableStream<unknown, unknown>) =>
    inCall(span, call.metadata, endSpan => {
      const scope = scopeOf(call);
      const recordEnd = recordCall(call.request);
      const cancelled = () => {
        recordEnd(status.CANCELLED);
        endSpan({ code: status.CANCELLED });
      };
      noteSubject(call.request);
      callScope
        .run(scope, async () => {
          const messages = handler(call.request, { signal: scope.signal, log }) as AsyncIterable<unknown>;
          // Makes the next message while one message is being sent, and no more: a stream of grpc-js would buffer
          // sixteen messages of any size.
          let sent: Promise<void> = Promise.resolve();
          for await (const message of messages) {
            await sent;
            if (scope.signal.aborted) return cancelled();
            sent = write(call, message, scope.signal);
            // Prevents an unhandled rejection: if the next message fails first, no code awaits this result.
            sent.catch(() => {});
          }
          await sent;
          scope.end();
          call.end();
          recordEnd();
          endSpan();
        })
        .catch(error => {
          if (scope.signal.aborted) return cancelled();
          scope.end();
          const domain = asDomainError(error);
          const refusal = toServiceError(domain);
          recordEnd(refusal.code, domain);
          endSpan(refusal);
          call.emit('error', refusal);
        });
    });
}

/** Resolves once the whole message fits into the peer's window. Rejects when the signal fires. */
function write(call: ServerWritableStream<unknown, unknown>, message: unknown, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  call.write(message, () => resolve());
  return promise.finally(() => signal.removeEventListener('abort', stop));
}

function toServiceError(domain: DomainError): Partial<ServiceError> {
  const metadata = new Metadata();
  metadata.set('error-code', domain.code);
  // The client retries only a call that has no response because its connection was lost.
  metadata.set('grpc-retry-pushback-ms', '-1');
  if (domain.reason !== undefined) metadata.set('error-reason', domain.reason);
  if (domain.retryAfterSec !== undefined) metadata.set('retry-after', String(domain.retryAfterSec));
  return Object.assign(new Error(domain.message), {
    code: grpcStatusOf(domain.code),
    details: domain.message,
    metadata,
  });
}
