import { context, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';

/** Runs `run` in the trace of a W3C `traceparent`, in a process that exports no traces. */
export function inTrace<T>(traceparent: string, run: () => T): T {
  // Only the first call has an effect.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return context.with(propagation.extract(ROOT_CONTEXT, { traceparent }), run);
}
