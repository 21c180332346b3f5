import type { IncomingMessage, Server } from 'node:http';

const TRACE_HEADERS = ['traceparent', 'tracestate', 'baggage'];

/**
 * Drops the trace context that a client sends: it would put our spans into a trace that is not ours. It happens in the
 * server's own `emit`, before instrumentation (which patches the prototype's) reads the headers.
 */
export function stripTraceContext(server: Server): void {
  const emit = server.emit;
  server.emit = function (this: Server, event: string | symbol, ...values: unknown[]) {
    if (event === 'request') {
      const { headers } = values[0] as IncomingMessage;
      for (const name of TRACE_HEADERS) delete headers[name];
    }
    return emit.call(this, event, ...values);
  } as typeof server.emit;
}
