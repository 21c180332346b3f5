import { context, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';

/** Runs something in the trace of a W3C `traceparent`, in a process that exports none. */
export function inTrace<T>(traceparent: string, run: () => T): T {
  // Without effect from the second time on.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return context.with(propagation.extract(ROOT_CONTEXT, { traceparent }), run);
}
