import { type Metadata, status } from '@grpc/grpc-js';
import { type Attributes, context, propagation, ROOT_CONTEXT, type Span, SpanKind, trace } from '@opentelemetry/api';
import { endSpan, tracer } from '@recording-request/kit-telemetry/end-span';

/** Ends the span of a call: without an error the call succeeded. Only the first end counts. */
export type EndCall = (error?: { code?: status | undefined; details?: string } | null) => void;

/** The attributes that all spans of one RPC share. */
export interface RpcSpan {
  name: string;
  attributes: Attributes;
}

// Other codes report that the caller made a mistake or cancelled the call. Such a code does not make the span an error.
const FAULTS = new Set([
  ...[status.UNKNOWN, status.DEADLINE_EXCEEDED, status.UNIMPLEMENTED, status.INTERNAL, status.UNAVAILABLE],
  status.DATA_LOSS,
]);
const setter = { set: (metadata: Metadata, key: string, value: string) => metadata.set(key, value) };
const getter = {
  get: (metadata: Metadata, key: string) => metadata.get(key).map(String),
  keys: (metadata: Metadata) => Object.keys(metadata.getMap()),
};

/** Returns the name and the attributes of the spans of the RPC with this path; `target` is the address of the server. */
export function rpcSpan(path: string, target?: string): RpcSpan {
  const name = path.slice(1);
  const [, host, port] = /^(?:[a-z]+:\/*)?(.+):(\d+)$/.exec(target ?? '') ?? [];
  return {
    name,
    attributes: {
      'rpc.system.name': 'grpc',
      'rpc.method': name,
      ...(host && { 'server.address': host, 'server.port': Number(port) }),
    },
  };
}

/** Starts the span of a call to another service, and puts its trace into `metadata`. */
export function beginCall({ name, attributes }: RpcSpan, metadata: Metadata): EndCall {
  const parent = context.active();
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent);
  propagation.inject(trace.setSpan(parent, span), metadata, setter);
  return ending(span);
}

/** Runs `serve` in the span of a call from another service. The span continues the trace in `metadata`. */
export function inCall({ name, attributes }: RpcSpan, metadata: Metadata, serve: (end: EndCall) => void): void {
  const parent = propagation.extract(ROOT_CONTEXT, metadata, getter);
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
  context.with(trace.setSpan(parent, span), serve, undefined, ending(span));
}

function ending(span: Span): EndCall {
  let isOver = false;
  return error => {
    if (isOver) return;
    isOver = true;
    if (!error) return endSpan(span, { attributes: { 'rpc.status_code': 'OK' } });
    const { code = status.UNKNOWN, details = '' } = error;
    const word = status[code] ?? 'UNKNOWN';
    const isFault = FAULTS.has(code);
    endSpan(span, {
      ...(isFault && { error: { message: details } }),
      attributes: {
        'rpc.status_code': word,
        ...(isFault && { 'error.type': word }),
        ...(details && { 'recording.error.message': details }),
      },
    });
  };
}
