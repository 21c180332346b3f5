import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CallOptions,
  type ChannelOptions,
  Client,
  type ClientReadableStream,
  connectivityState,
  type handleServerStreamingCall,
  type handleUnaryCall,
  InterceptingCall,
  type Interceptor,
  Metadata,
  type MethodDefinition,
  type ServiceDefinition,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { callScope } from '@recording-request/kit/call-scope';
import { codeOfGrpcStatus, DomainError, isErrorCode } from '@recording-request/kit/errors';
import { channelOptions } from './grpc-server.ts';
import type { Peer } from './internal/internal.ts';
import { beginCall, type RpcSpan, rpcSpan } from './rpc-spans.ts';

export interface RpcOptions {
  signal?: AbortSignal;
  /** The time limit of the call. A call inside an RPC handler also ends at the deadline of the handler's RPC. */
  deadlineMs?: number;
}

/** The client of a generated `…Server` interface. Every failure is a DomainError with the server's code and sentence. */
export type ClientOf<S> = {
  [K in keyof S as string extends K ? never : K]: S[K] extends handleUnaryCall<infer Q, infer R>
    ? (request: Q, options?: RpcOptions) => Promise<R>
    : S[K] extends handleServerStreamingCall<infer Q, infer R>
      ? (request: Q, options?: RpcOptions) => AsyncIterable<R>
      : never;
} & {
  /** Connects, and resolves once a server is reached or `limitMs` have passed. Never rejects. */
  connected(limitMs: number): Promise<void>;
  close(): void;
};

const DEADLINE_MS = 5_000;
const STREAM_DEADLINE_MS = 12 * 60 * 60 * 1000;
const MESSAGES_AHEAD = 2;
const CONNECT_LOOK_MS = 50;
// At this age, a connection takes no new calls, and its last calls have ended.
const KEEPALIVE_MS = 60_000;
// A call that fails as unavailable takes one of a hundred tokens; a successful call returns a tenth of a token. At
// fifty tokens or fewer, no call is retried, so that a peer that is down does not get more calls.
const THROTTLING = { maxTokens: 100, tokenRatio: 0.1 };
const RETRIES = {
  maxAttempts: 4,
  initialBackoff: '0.05s',
  maxBackoff: '0.5s',
  backoffMultiplier: 2,
  retryableStatusCodes: ['UNAVAILABLE'],
};

export interface ClientOptions {
  /**
   * Returns whether to retry a call of the RPC with this path if the connection is lost before the response. The retry
   * goes to another replica if there is one, and the call may run twice. By default no call is retried.
   */
  mayRepeat?: (path: string) => boolean;
  /** The time limit of a unary call, 5 s by default. */
  deadlineMs?: number;
  /**
   * Set for streams that end users read at any pace. The client then gets its own connections, so that no other call
   * waits behind the bytes of such a stream. `windowBytes` limits the unread bytes of each stream.
   */
  slowReaders?: { windowBytes: number };
}

/**
 * Returns a client of the service `peer` at `target` (`host:port`). The client balances its calls over all addresses of
 * the name.
 */
export function createClient<S>(
  definition: unknown,
  target: string,
  peer: Peer,
  { slowReaders, mayRepeat = () => false, ...defaults }: ClientOptions = {},
): ClientOf<S> {
  const channel = new Client(target.includes('://') ? target : `dns:///${target}`, peer.credentials, {
    ...channelOptions,
    ...peer.options,
    ...(slowReaders && {
      'grpc.use_local_subchannel_pool': 1,
      'grpc-node.flow_control_window': slowReaders.windowBytes,
    }),
    'grpc.service_config': serviceConfig(definition as ServiceDefinition, mayRepeat),
    // A peer that restarts is available again within seconds, so the client reconnects often.
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1_000,
    ...keepalive(definition as ServiceDefinition),
    // Allows the client to resolve a name again soon after its addresses have changed.
    'grpc.dns_min_time_between_resolutions_ms': 1_000,
  });
  const closed = new AbortController();
  const client: Record<string, unknown> = {
    connected: (limitMs: number) => connected(channel, limitMs, closed.signal),
    close() {
      closed.abort();
      channel.close();
    },
  };
  for (const [name, method] of Object.entries(definition as ServiceDefinition)) {
    const rpc = { channel, method, span: rpcSpan(method.path, target), isRepeated: mayRepeat(method.path) };
    client[name] = method.responseStream
      ? (request: unknown, options: RpcOptions = {}) =>
          stream(rpc, request, { deadlineMs: STREAM_DEADLINE_MS, ...options })
      : (request: unknown, options: RpcOptions = {}) =>
          unary(rpc, request, { deadlineMs: DEADLINE_MS, ...defaults, ...options });
  }
  return client as ClientOf<S>;
}

/** Does not use `waitForReady`, which keeps a process alive until its deadline, even when the client is closed. */
async function connected(client: Client, limitMs: number, closed: AbortSignal): Promise<void> {
  const until = performance.now() + limitMs;
  const channel = client.getChannel();
  // This call also reconnects a closed channel.
  while (!closed.aborted && channel.getConnectivityState(true) !== connectivityState.READY) {
    if (performance.now() >= until) return;
    await delay(CONNECT_LOOK_MS, undefined, { ref: false });
  }
}

/**
 * Returns the settings of pings, which detect that a peer's machine is down. The client must not ping a connection that
 * is closed to new calls (see grpc-server.ts): @grpc/grpc-js would treat this connection as lost and end the calls that
 * still run on it. So the client sends the first ping after the deadline of these calls. A service with streams, which
 * may run for hours, gets no pings.
 */
function keepalive(definition: ServiceDefinition): ChannelOptions {
  if (Object.values(definition).some(({ responseStream }) => responseStream)) return {};
  return { 'grpc.keepalive_time_ms': KEEPALIVE_MS, 'grpc.keepalive_timeout_ms': 10_000 };
}

function serviceConfig(definition: ServiceDefinition, mayRepeat: (path: string) => boolean): string {
  const paths = Object.values(definition).flatMap(({ path }) => (mayRepeat(path) ? [path] : []));
  const repeated = paths.map(path => {
    const [, service, method] = path.split('/');
    return { service, method };
  });
  return JSON.stringify({
    loadBalancingConfig: [{ round_robin: {} }],
    ...(repeated.length > 0 && {
      methodConfig: [{ name: repeated, retryPolicy: RETRIES }],
      retryThrottling: THROTTLING,
    }),
  });
}

interface Bounds {
  call: CallOptions;
  signals: AbortSignal[];
}

function bounds(options: RpcOptions): Bounds {
  const scope = callScope.getStore();
  const deadline = Math.min(Date.now() + (options.deadlineMs ?? DEADLINE_MS), scope?.deadlineAt ?? Infinity);
  const signals = [options.signal, scope?.signal].filter(signal => signal !== undefined);
  return { call: { deadline }, signals };
}

// A call waits for a restarting peer until the deadline, instead of failing at once.
const metadata = () => new Metadata({ waitForReady: true });

interface Rpc {
  channel: Client;
  method: MethodDefinition<unknown, unknown>;
  span: RpcSpan;
  /** True if the client retries the call after its connection was lost. */
  isRepeated: boolean;
}

/**
 * Sends a call. The library retries until the response begins. If the connection is lost after the first bytes and
 * before the message, this function retries once.
 */
async function unary(rpc: Rpc, request: unknown, options: RpcOptions): Promise<unknown> {
  const within = bounds(options);
  try {
    return await attempt(rpc, request, within);
  } catch (error) {
    if (!(rpc.isRepeated && error instanceof CutShortError)) throw error;
    return await attempt(rpc, request, within);
  }
}

/** The connection was lost after the response had begun. */
class CutShortError extends DomainError {}

function attempt({ channel, method, span }: Rpc, request: unknown, within: Bounds): Promise<unknown> {
  const { call: callOptions, signals } = within;
  return new Promise((resolve, reject) => {
    if (signals.some(signal => signal.aborted)) return reject(new DomainError('cancelled', 'The caller went away.'));
    const sent = metadata();
    const end = beginCall(span, sent);
    let hasBegun = false;
    const onReply = (error: ServiceError | null, reply?: unknown) => {
      end(error);
      for (const signal of signals) signal.removeEventListener('abort', cancel);
      if (!error) resolve(reply);
      else if (hasBegun && error.code === status.UNAVAILABLE) reject(cutShort(error, method.path));
      else reject(fromServiceError(error, method.path));
    };
    const { path, requestSerialize, responseDeserialize } = method;
    const call = withoutFrames(() =>
      channel.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, sent, callOptions, onReply),
    );
    call.once('metadata', () => {
      hasBegun = true;
    });
    const cancel = () => call.cancel();
    for (const signal of signals) signal.addEventListener('abort', cancel, { once: true });
  });
}

/**
 * Runs `@grpc/grpc-js` code without stack traces. The library records the caller's stack for each call, and our errors
 * do not show the stack.
 */
function withoutFrames<T>(work: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

async function* stream({ channel, method, span }: Rpc, request: unknown, options: RpcOptions): AsyncIterable<unknown> {
  const { call: callOptions, signals } = bounds(options);
  const gate = messageGate(MESSAGES_AHEAD);
  const sent = metadata();
  const end = beginCall(span, sent);
  let failure: ServiceError | undefined;
  const call = channel.makeServerStreamRequest(
    method.path,
    method.requestSerialize,
    method.responseDeserialize,
    request,
    sent,
    { ...callOptions, interceptors: [gate.interceptor] },
  ) as ClientReadableStream<unknown>;
  const cancel = () => call.cancel();
  for (const signal of signals) {
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { once: true });
  }
  try {
    for await (const message of call as unknown as Readable) {
      yield message;
      gate.taken();
    }
  } catch (error) {
    failure = error as ServiceError;
    throw fromServiceError(failure, method.path);
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', cancel);
    call.cancel();
    gate.taken();
    end(failure);
  }
}

/**
 * Lets at most `ahead` messages of a stream wait for the reader. Without this gate, a stream of grpc-js buffers sixteen
 * messages of any size, and no option reduces this number.
 */
function messageGate(ahead: number) {
  let room = ahead;
  let held: (() => void) | undefined;
  const interceptor: Interceptor = (options, nextCall) =>
    new InterceptingCall(nextCall(options), {
      start(start, _listener, next) {
        next(start, {
          onReceiveMessage(message, deliver) {
            room -= 1;
            if (room >= 0) deliver(message);
            else held = () => deliver(message);
          },
        });
      },
    });
  return {
    interceptor,
    taken() {
      room += 1;
      const deliver = held;
      held = undefined;
      deliver?.();
    },
  };
}

/** Returns whether a call failed because its server does not implement it. */
export const isUnimplemented = (error: unknown): boolean =>
  error instanceof DomainError && (error.cause as { status?: unknown } | undefined)?.status === status.UNIMPLEMENTED;

/** Returns the message of a server that refuses this caller. The message is for operators, not for users. */
export function refusalOf(error: unknown): string | undefined {
  const cause = error instanceof DomainError ? (error.cause as { status?: unknown; details?: string }) : undefined;
  return cause?.status === status.PERMISSION_DENIED ? cause.details : undefined;
}

function cutShort(error: ServiceError, path: string): DomainError {
  const { code, message, cause } = fromServiceError(error, path);
  return new CutShortError(code, message, { cause });
}

function fromServiceError(error: ServiceError, path: string): DomainError {
  const named = error.metadata?.get('error-code')[0]?.toString();
  if (named !== undefined && isErrorCode(named)) {
    const wait = Number(error.metadata?.get('retry-after')[0] ?? Number.NaN);
    const reason = error.metadata?.get('error-reason')[0]?.toString();
    return new DomainError(named, error.details, { retryAfterSec: Number.isFinite(wait) ? wait : undefined, reason });
  }
  const code = codeOfGrpcStatus(error.code);
  const cause = Object.assign(new Error(`${path}: ${error.message}`), { status: error.code, details: error.details });
  const words =
    code === 'unavailable' || code === 'timeout'
      ? 'A part of the service is not answering; try again in a moment.'
      : 'Something went wrong on our side; try again later.';
  return new DomainError(
    code === 'unavailable' || code === 'timeout' || code === 'cancelled' ? code : 'internal',
    words,
    {
      cause,
    },
  );
}
