import { type Metadata, status } from '@grpc/grpc-js';
import { type Attributes, context, propagation, ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import { type OpenSpan, openSpan } from '@recording-request/kit-telemetry/open-span';

/** Notes how a call ended: without an error it was answered. Only the first end counts. */
export type EndCall = (error?: { code?: status | undefined; details?: string } | null) => void;

/** What the spans of one RPC have in common. */
export interface RpcSpan {
  name: string;
  attributes: Attributes;
}

// What the caller asked for wrongly, or no longer wants, is an answer like any other.
const FAULTS = new Set([
  ...[status.UNKNOWN, status.DEADLINE_EXCEEDED, status.UNIMPLEMENTED, status.INTERNAL, status.UNAVAILABLE],
  status.DATA_LOSS,
]);
const setter = { set: (metadata: Metadata, key: string, value: string) => metadata.set(key, value) };
const getter = {
  get: (metadata: Metadata, key: string) => metadata.get(key).map(String),
  keys: (metadata: Metadata) => Object.keys(metadata.getMap()),
};

/** Returns how the spans of the RPC with this path are called; `target` is the address that is called. */
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

/** Begins the span of a call to another service, and has `metadata` carry the trace there. */
export function beginCall({ name, attributes }: RpcSpan, metadata: Metadata): EndCall {
  const span = openSpan({ name, kind: SpanKind.CLIENT, parent: context.active(), attributes: () => attributes });
  propagation.inject(span.context, metadata, setter);
  return ending(span);
}

/** Runs `serve` in the span of a call that another service made, which continues the trace that `metadata` carries. */
export function inCall({ name, attributes }: RpcSpan, metadata: Metadata, serve: (end: EndCall) => void): void {
  const parent = propagation.extract(ROOT_CONTEXT, metadata, getter);
  const span = openSpan({ name, kind: SpanKind.SERVER, parent, attributes: () => attributes });
  context.with(span.context, serve, undefined, ending(span));
}

function ending(span: OpenSpan): EndCall {
  let isOver = false;
  return error => {
    if (isOver) return;
    isOver = true;
    if (!error) return span.end(ANSWERED);
    const { code = status.UNKNOWN, details = '' } = error;
    const word = status[code] ?? 'UNKNOWN';
    const isFault = FAULTS.has(code);
    span.end({
      ...(isFault && { error: { message: details } }),
      attributes: {
        'rpc.status_code': word,
        ...(isFault && { 'error.type': word }),
        ...(details && { 'recording.error.message': details }),
      },
    });
  };
}

const ANSWERED = { attributes: { 'rpc.status_code': 'OK' } };
